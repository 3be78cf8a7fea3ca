import { EmulatorError } from '../../errors.ts';

export interface DefinitionProblem {
  /** JSON pointer to the field with the problem, such as `/States/EachOrder/ItemReader`. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /** AWS's code and message for the problem; undefined if this interpreter does not know them. */
  readonly diagnostic?: {
    readonly code: 'MISSING_TRANSITION_TARGET' | 'MISSING_END_STATE';
    readonly message: string;
  };
}

/** The definition is not valid, or uses fields that this interpreter does not implement. The interpreter never ignores such a field. */
export class InvalidDefinitionError extends EmulatorError {
  override readonly name = 'InvalidDefinitionError';
  readonly problems: readonly DefinitionProblem[];

  constructor(problems: readonly DefinitionProblem[]) {
    super(problems.map(p => `${p.path || '/'}: expected ${p.expected}, got ${p.got}`).join('; '));
    this.problems = problems;
  }
}

export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** Fields that only JSONPath definitions have. Errors explain such a field: it may be left over from a conversion to JSONata. */
const JSONPATH_FIELDS: ReadonlySet<string> = new Set([
  'CausePath',
  'ErrorPath',
  'HeartbeatSecondsPath',
  'InputPath',
  'ItemsPath',
  'MaxConcurrencyPath',
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
  'ItemBatcher',
  'ItemReader',
  'Iterator',
  'ResultWriter',
]);

export function explainField(key: string): string {
  if (JSONPATH_FIELDS.has(key)) return ' (that one is of JSONPath; this interpreter runs JSONata only)';
  return NOT_IMPLEMENTED.has(key) ? ' (that one is not implemented)' : '';
}
