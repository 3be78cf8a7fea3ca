import { describe, isObject, type Json, type JsonObject } from './json.ts';
import type { ResolvedBlock } from './stack.ts';

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

  string(field: string): string {
    const value = this.#take(field);
    if (typeof value === 'string' && value !== '') return value;
    // A reference that couldn't be resolved is there as null, and was reported where it stands.
    if (this.#body[field] !== null) this.problem(field, 'a non-empty string', value);
    return '';
  }

  optionalString(field: string): string | undefined {
    const value = this.#take(field);
    if (value === undefined || typeof value === 'string') return value;
    this.problem(field, 'a string', value);
    return undefined;
  }

  /** One of `allowed`; the first is the default when the field is left out. */
  oneOf<const T extends string>(field: string, allowed: readonly [T, ...T[]]): T {
    const value = this.#take(field);
    if (value === undefined) return allowed[0];
    const found = allowed.find(item => item === value);
    if (found === undefined) this.problem(field, allowed.map(item => `"${item}"`).join(' or '), value);
    return found ?? allowed[0];
  }

  optionalNumber(field: string): number | undefined {
    const value = this.#take(field);
    if (value === undefined || typeof value === 'number') return value;
    // Terraform converts a string that holds a number.
    if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
      return Number(value);
    this.problem(field, 'a number', value);
    return undefined;
  }

  boolean(field: string, byDefault: boolean): boolean {
    const value = this.#take(field);
    if (value === undefined) return byDefault;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    this.problem(field, 'true or false', value);
    return byDefault;
  }

  stringList(field: string): string[] {
    const value = this.#take(field);
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every(item => typeof item === 'string')) return [...value];
    this.problem(field, 'a list of strings', value);
    return [];
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
