import { EmulatorError } from '../../errors.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { escapePointer } from '../jsonata/template.ts';

/** One reason why a definition is not accepted. */
export interface DefinitionProblem {
  /** JSON pointer to the offending field, such as `/States/EachOrder/ItemReader`. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /** AWS's own message, where it was recorded. */
  readonly diagnostic?: {
    readonly code: 'MISSING_TRANSITION_TARGET' | 'MISSING_END_STATE';
    readonly message: string;
  };
}

/** The definition is not valid, or uses fields that this interpreter does not implement; no field was ignored. */
export class InvalidDefinitionError extends EmulatorError {
  override readonly name = 'InvalidDefinitionError';
  readonly problems: readonly DefinitionProblem[];

  constructor(problems: readonly DefinitionProblem[]) {
    super(problems.map(p => `${p.path || '/'}: expected ${p.expected}, got ${p.got}`).join('; '));
    this.problems = problems;
  }
}

/** Formats JSON for a message, shortened to a readable length. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** Reads one object of a definition and collects its problems. Every `take…` marks its field as known. */
export class FieldReader {
  readonly path: string;
  readonly raw: JsonObject;
  readonly problems: DefinitionProblem[];
  readonly #known = new Set<string>();

  constructor(raw: JsonObject, path: string, problems: DefinitionProblem[]) {
    this.raw = raw;
    this.path = path;
    this.problems = problems;
  }

  at(key: string): string {
    return `${this.path}/${escapePointer(key)}`;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.raw, key);
  }

  problem(key: string | undefined, expected: string, got: string): void {
    this.problems.push({ path: key === undefined ? this.path : this.at(key), expected, got });
  }

  /** The raw value of a field, or undefined when it is absent. */
  take(key: string): Json | undefined {
    this.#known.add(key);
    return this.has(key) ? this.raw[key] : undefined;
  }

  takeString(key: string): string | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'string') return value;
    this.problem(key, 'a string', quote(value));
    return undefined;
  }

  takeRequiredString(key: string): string | undefined {
    if (!this.has(key)) this.problem(key, 'a string', 'nothing');
    return this.takeString(key);
  }

  takeOneOf<T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const found = allowed.find(one => one === value);
    if (found === undefined) this.problem(key, `one of ${allowed.join(', ')}`, quote(value));
    return found;
  }

  /** An integer between two bounds, both allowed. */
  takeInteger(key: string, least: number, most: number): number | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    this.problem(key, `an integer from ${least} to ${most}`, quote(value));
    return undefined;
  }

  takeObject(key: string): JsonObject | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (isObject(value)) return value as JsonObject;
    this.problem(key, 'an object', quote(value));
    return undefined;
  }

  /** Reads an array of objects, each with its own reader. */
  takeReaders(
    key: string,
    emptiness: 'must not be empty' | 'may be empty' = 'must not be empty',
  ): FieldReader[] {
    const value = this.take(key);
    if (value === undefined) return [];
    const mayBeEmpty = emptiness === 'may be empty';
    if (!Array.isArray(value) || (value.length === 0 && !mayBeEmpty)) {
      this.problem(key, mayBeEmpty ? 'an array of objects' : 'a non-empty array of objects', quote(value));
      return [];
    }
    return value.flatMap((item, index) => {
      if (isObject(item))
        return [new FieldReader(item as JsonObject, `${this.at(key)}/${index}`, this.problems)];
      this.problem(`${key}`, `an object at position ${index}`, quote(item));
      return [];
    });
  }

  /** Reports every field that was not read. `owner` names the kind of object in the message. */
  refuseUnknown(owner: string, explain: (key: string) => string | undefined = () => undefined): void {
    for (const key of Object.keys(this.raw)) {
      if (this.#known.has(key)) continue;
      const why = explain(key);
      this.problem(
        key,
        `only fields of ${owner}${why === undefined ? '' : ` (${why})`}`,
        `the field ${quote(key)}`,
      );
    }
  }
}

/** Fields of JSONPath, which a definition in transition may still contain. */
const JSONPATH_FIELDS: ReadonlySet<string> = new Set([
  'CausePath',
  'ErrorPath',
  'HeartbeatSecondsPath',
  'InputPath',
  'ItemsPath',
  'MaxConcurrencyPath',
  'MaxItemsPerBatchPath',
  'MaxInputBytesPerBatchPath',
  'OutputPath',
  'Parameters',
  'Result',
  'ResultPath',
  'ResultSelector',
  'SecondsPath',
  'TimeoutSecondsPath',
  'TimestampPath',
  'ToleratedFailureCountPath',
  'ToleratedFailurePercentagePath',
  'Variable',
]);
const NOT_IMPLEMENTED: ReadonlySet<string> = new Set([
  'Credentials',
  'ItemReader',
  'Iterator',
  'ResultWriter',
]);

/** Explains why a field that AWS may know is not accepted here. */
export function explainField(key: string): string | undefined {
  if (JSONPATH_FIELDS.has(key)) return 'that one is of JSONPath; this interpreter runs JSONata only';
  return NOT_IMPLEMENTED.has(key) ? 'that one is not implemented' : undefined;
}
