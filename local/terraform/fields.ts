import { boolean, type Kind, kind, oneOf, text } from '../../expiry/fields.ts';
import { describe, isObject, type Json, type JsonObject } from './json.ts';
import type { ResolvedBlock } from './stack.ts';

const TEXT = text(/^/, 'a string');
const NON_EMPTY = text(/./s, 'a non-empty string');
const NUMBER = kind<number>(Number.isFinite, 'a number', {
  fromText: value => (value.trim() === '' ? value : Number(value)),
});
const TEXTS = kind<readonly string[]>(
  value => Array.isArray(value) && value.every(TEXT.is),
  'a list of strings',
);

/**
 * Reads the fields of one resource: every field is taken once, by its type, and what nobody took is reported
 * at the end, so that nothing which would change how a resource behaves is passed over in silence.
 */
export class Fields {
  readonly #body: JsonObject;
  readonly #where: string;
  readonly #problems: string[];
  readonly #taken = new Set<string>();

  constructor(where: string, body: JsonObject, problems: string[]) {
    this.#where = where;
    this.#body = body;
    this.#problems = problems;
  }

  static of(block: ResolvedBlock, problems: string[]): Fields {
    return new Fields(`${block.stack}: ${block.address}`, block.body, problems);
  }

  /** Reports a problem with one field: `expected` ends up after "expected". */
  problem(field: string, expected: string, got: unknown): void {
    this.#problems.push(`${this.#where}.${field}: expected ${expected}, got ${describe(got)}`);
  }

  #take(field: string): Json | undefined {
    this.#taken.add(field);
    const value = this.#body[field];
    // Terraform takes null for "left out".
    return value === null ? undefined : value;
  }

  /** Of a text that stands for a number, or for true or false, Terraform makes that. */
  #read<Value>(field: string, { expected, is, fromText }: Kind<Value>): Value | undefined {
    const value = this.#take(field);
    if (value === undefined) return undefined;
    const read = typeof value === 'string' ? fromText(value) : value;
    if (is(read)) return read;
    this.problem(field, expected, value);
    return undefined;
  }

  string(field: string): string {
    // A reference that couldn't be resolved is there as null, and was reported where it stands.
    if (this.#body[field] === undefined) this.problem(field, NON_EMPTY.expected, undefined);
    return this.#read(field, NON_EMPTY) ?? '';
  }

  optionalString(field: string): string | undefined {
    return this.#read(field, TEXT);
  }

  /** One of `allowed`; the first is the default when the field is left out. */
  oneOf<const T extends string>(field: string, allowed: readonly [T, ...T[]]): T {
    const expected = allowed.map(item => `"${item}"`).join(' or ');
    return this.#read(field, { ...oneOf(allowed), expected }) ?? allowed[0];
  }

  optionalNumber(field: string): number | undefined {
    return this.#read(field, NUMBER);
  }

  boolean(field: string, byDefault: boolean): boolean {
    return this.#read(field, boolean()) ?? byDefault;
  }

  stringList(field: string): string[] {
    return [...(this.#read(field, TEXTS) ?? [])];
  }

  /** A map of strings; numbers and booleans are converted, as Terraform does. */
  stringMap(field: string): Record<string, string> {
    const value = this.#take(field);
    const map: Record<string, string> = {};
    if (value === undefined) return map;
    if (!isObject(value)) {
      this.problem(field, 'a map of strings', value);
      return map;
    }
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'object') {
        if (item !== null) this.problem(`${field}.${key}`, 'a string', item);
      } else {
        map[key] = String(item);
      }
    }
    return map;
  }

  /** Nested blocks: one object or a list of them, which CDKTF writes both ways. */
  blocks(field: string): Fields[] {
    const value = this.#take(field);
    const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
    return list.flatMap((item, index) => {
      const where = list.length > 1 ? `${field}[${index}]` : field;
      if (isObject(item)) return [new Fields(`${this.#where}.${where}`, item, this.#problems)];
      this.problem(where, 'a block (an object)', item);
      return [];
    });
  }

  /** At most one nested block. */
  block(field: string): Fields | undefined {
    const found = this.blocks(field);
    if (found.length > 1) this.problem(field, 'one block', this.#body[field]);
    return found[0];
  }

  /** Ends the reading: fields that are neither taken nor without effect here are problems. */
  done(withoutEffect: readonly string[] = []): void {
    for (const [field, value] of Object.entries(this.#body)) {
      if (this.#taken.has(field) || withoutEffect.includes(field) || value === null) continue;
      this.#problems.push(
        `${this.#where}.${field}: the local runner doesn't implement this field, and running without it would show ` +
          'something else than AWS does; remove it or add it to local/terraform.ts',
      );
    }
  }
}
