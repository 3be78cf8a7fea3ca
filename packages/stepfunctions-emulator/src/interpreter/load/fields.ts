import { type Kind, TEXT } from '../field-checks.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { AslExpression } from '../jsonata/expression.ts';
import type { ExpressionPlace } from '../jsonata/rules.ts';
import { compileTemplate, escapePointer, expressionIn, type Template } from '../jsonata/template.ts';
import { NAME_LENGTH } from '../limits.ts';
import { type DefinitionProblem, explainField, quote } from './problems.ts';

export type QueryLanguage = 'JSONata' | 'JSONPath';

export interface LoadContext {
  readonly problems: DefinitionProblem[];
  /** Query language of the state machine. Measured on AWS: the QueryLanguage of a Map or Parallel does not apply to the states inside. */
  readonly language: QueryLanguage;
  readonly names: Map<string, string>;
  readonly labels: Map<string, string>;
  readonly isMocked: (arn: string) => boolean;
  readonly express: boolean;
}

export class FieldReader {
  readonly path: string;
  readonly raw: JsonObject;
  readonly context: LoadContext;
  readonly prefix: string;
  readonly #known = new Set<string>();

  constructor(raw: JsonObject, path: string, context: LoadContext, prefix = '') {
    this.raw = raw;
    this.path = path;
    this.context = context;
    this.prefix = prefix;
  }

  at(key: string): string {
    return `${this.path}/${escapePointer(key)}`;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.raw, key);
  }

  problem(key: string | undefined, expected: string, got: string): void {
    this.context.problems.push({ path: key === undefined ? this.path : this.at(key), expected, got });
  }

  /** Reads a field and marks the field as known for `refuseUnknown`. @returns the raw value; undefined when the field is absent */
  take(key: string): Json | undefined {
    this.#known.add(key);
    return this.has(key) ? this.raw[key] : undefined;
  }

  refuseUnknown(owner: string): void {
    for (const key of Object.keys(this.raw)) {
      if (this.#known.has(key)) continue;
      this.problem(key, `only fields of ${owner}${explainField(key)}`, `the field ${quote(key)}`);
    }
  }
}

export type Read<T> = (reader: FieldReader, key: string) => T;

type Table = Readonly<Record<string, Read<unknown>>>;
/** The values that `readFields` returns. The value of the field `MaxConcurrency` is the member `maxConcurrency`. */
export type Fields<T extends Table> = {
  readonly [K in keyof T & string as Uncapitalize<K>]: ReturnType<T[K]>;
};

export function readFields<T extends Table>(reader: FieldReader, owner: string, table: T): Fields<T> {
  const entries = Object.entries(table).map(([key, read]) => [
    key.charAt(0).toLowerCase() + key.slice(1),
    read(reader, key),
  ]);
  reader.refuseUnknown(owner);
  return Object.fromEntries(entries) as Fields<T>;
}

export const or =
  <T>(fallback: T, read: Read<T | undefined>): Read<T> =>
  (reader, key) =>
    read(reader, key) ?? fallback;

export const required =
  <T>(expected: string, read: Read<T>): Read<T> =>
  (reader, key) => {
    if (!reader.has(key)) reader.problem(key, expected, 'nothing');
    return read(reader, key);
  };

export const constant =
  <T>({ accepts, expected }: Pick<Kind<T>, 'accepts' | 'expected'>): Read<T | undefined> =>
  (reader, key) => {
    const value = reader.take(key);
    if (value === undefined || accepts(value)) return value;
    reader.problem(key, expected, quote(value));
    return undefined;
  };

export const text = constant(TEXT);
export const requiredText = or('', required('a string', text));

export const oneOf = <T extends string>(...allowed: readonly T[]): Read<T | undefined> =>
  constant({
    accepts: (value): value is T => allowed.some(one => one === value),
    expected: `one of ${allowed.join(', ')}`,
  });

export const object =
  <T>(read: (inner: FieldReader) => T): Read<T | undefined> =>
  (reader, key) => {
    const value = reader.take(key);
    if (value === undefined) return undefined;
    if (isObject(value)) {
      return read(
        new FieldReader(value as JsonObject, reader.at(key), reader.context, `${reader.prefix}${key}/`),
      );
    }
    reader.problem(key, 'an object', quote(value));
    return undefined;
  };

/** Reads an array of objects. @param read called with a reader for each object; `last` is true for the last object */
export const list =
  <T>(
    emptiness: 'not empty' | 'may be empty',
    read: (inner: FieldReader, last: boolean) => T,
  ): Read<readonly T[]> =>
  (reader, key) => {
    const value = reader.take(key);
    if (value === undefined) return [];
    const mayBeEmpty = emptiness === 'may be empty';
    if (!Array.isArray(value) || (value.length === 0 && !mayBeEmpty)) {
      reader.problem(key, mayBeEmpty ? 'an array of objects' : 'a non-empty array of objects', quote(value));
      return [];
    }
    return value.flatMap((item, index) => {
      const prefix = `${reader.prefix}${key}[${index}]/`;
      const path = `${reader.at(key)}/${index}`;
      if (isObject(item)) {
        const inner = new FieldReader(item as JsonObject, path, reader.context, prefix);
        return [read(inner, index === value.length - 1)];
      }
      reader.problem(key, `an object at position ${index}`, quote(item));
      return [];
    });
  };

const reportTo =
  (reader: FieldReader) =>
  (path: string, { message: got }: Error): void => {
    const expected = 'a JSONata expression that Step Functions accepts';
    reader.context.problems.push({ path, expected, got });
  };

export const BEFORE: ExpressionPlace = { result: false, errorOutput: false };

export const template =
  (place: ExpressionPlace = BEFORE): Read<Template | undefined> =>
  (reader, key) => {
    const value = reader.take(key);
    if (value === undefined) return undefined;
    return compileTemplate(value, reader.at(key), `${reader.prefix}${key}`, place, reportTo(reader));
  };

export type Field<T> =
  | { readonly literal: T }
  | { readonly expression: AslExpression; readonly field: string; readonly kind: Kind<T> };

export const field =
  <T>(kind: Kind<T>): Read<Field<T> | undefined> =>
  (reader, key) => {
    const value = reader.take(key);
    if (value === undefined) return undefined;
    if (typeof value === 'string') {
      try {
        const expression = expressionIn(value, BEFORE);
        if (expression !== undefined) return { expression, field: `${reader.prefix}${key}`, kind };
      } catch (error) {
        reportTo(reader)(reader.at(key), error as Error);
        return undefined;
      }
    }
    if (kind.accepts(value)) return { literal: value };
    reader.problem(key, `${kind.expected} or a JSONata expression for it`, quote(value));
    return undefined;
  };

export type Assign = ReadonlyArray<readonly [string, Template]>;

const VARIABLE_NAME = /^\p{ID_Start}\p{ID_Continue}*$/u;

export const assign = (place: ExpressionPlace = BEFORE): Read<Assign | undefined> =>
  object(variables =>
    Object.entries(variables.raw).map(([name, value]) => {
      const path = `${variables.path}/${name}`;
      const refuse = (expected: string, got: string) =>
        variables.context.problems.push({ path, expected, got });
      if (name === 'states') {
        refuse('a variable of another name', '"states", which is reserved');
      } else if (!VARIABLE_NAME.test(name) || name.length > NAME_LENGTH) {
        refuse(`a letter, then letters, digits or _, at most ${NAME_LENGTH} characters`, quote(name));
      }
      return [
        name,
        compileTemplate(value, path, variables.prefix + name, place, reportTo(variables)),
      ] as const;
    }),
  );
