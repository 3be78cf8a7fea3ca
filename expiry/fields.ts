import type { FieldProblem } from './errors.ts';
import { unknownFieldProblems } from './unknown-fields.ts';

/**
 * The values that a field takes. Everything that a person or another program can get wrong is read by these: models and options, the
 * configuration, environments, the input of an execution, command lines, Terraform's JSON.
 */
export interface Kind<Value> {
  /** The text after "expected". */
  readonly expected: string;
  readonly is: (value: unknown) => value is Value;
  /** The rule of the kind, where others have to write it in a language of theirs. */
  readonly rule?: Rule;
  /** The value that a text stands for; the text itself when it stands for none. */
  readonly fromText: (text: string) => unknown;
  /** The remedy for another value, when there is more to say than that it must be corrected. */
  readonly remedy?: (got: unknown) => string;
  /** Problems within a value that has fields of its own, by their paths in it. */
  inside?(value: Value): FieldProblem[];
}

/** A text of a pattern, a number within bounds that are included, or one of some values. */
export type Rule =
  | { readonly pattern: RegExp }
  | { readonly least: number; readonly most: number; readonly whole: boolean }
  | { readonly values: readonly unknown[] };

export type ValueOf<AnyKind> = AnyKind extends Kind<infer Value> ? Value : never;

/** A kind by its rule, for what has none of its own below. */
export function kind<Value>(
  is: (value: unknown) => boolean,
  expected: string,
  more: Partial<Pick<Kind<Value>, 'fromText' | 'remedy' | 'inside' | 'rule'>> = {},
): Kind<Value> {
  return { expected, is: (value): value is Value => is(value), fromText: text => text, ...more };
}

export function text(pattern = /./s, expected = 'a text that is not empty'): Kind<string> {
  return kind(value => typeof value === 'string' && pattern.test(value), expected, { rule: { pattern } });
}

export function boolean(): Kind<boolean> {
  const fromText = (value: string) => (value === 'true' ? true : value === 'false' ? false : value);
  return kind(value => typeof value === 'boolean', 'true or false', { fromText });
}

/** A number from `least` to `most`, both included. */
export function number(least: number, most: number): Kind<number> {
  const isNumber = (value: unknown) => typeof value === 'number' && value >= least && value <= most;
  return kind(isNumber, `a number from ${least} to ${most}`, {
    fromText: decimal,
    rule: { least, most, whole: false },
  });
}

/** A whole one. `what`: of what, e.g. `a whole number of minutes`. */
export function whole(least: number, most: number, what = 'a whole number'): Kind<number> {
  const { is, fromText } = number(least, most);
  return kind(value => is(value) && Number.isInteger(value), `${what} from ${least} to ${most}`, {
    fromText,
    rule: { least, most, whole: true },
  });
}

export function oneOf<const Value>(values: readonly Value[]): Kind<Value> {
  const expected = `one of ${values.map(value => JSON.stringify(value)).join(', ')}`;
  return kind(value => values.some(each => each === value), expected, { rule: { values } });
}

/** Digits, as a person writes them: neither `1e3` nor ` 1` nor `0x1`. */
function decimal(value: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

export type Kinds = Readonly<Record<string, Kind<unknown>>>;

export interface ReadOptions {
  /** Fields that must be there. @default none */
  readonly required?: readonly string[];
  /** The remedy for a value, where its kind has no better one. */
  readonly remedy: string;
}

/** The problems of one value; empty when it is good. */
export function valueProblems(
  field: string,
  { expected, is, inside, remedy: ownRemedy }: Kind<unknown>,
  got: unknown,
  remedy: string,
): FieldProblem[] {
  if (is(got)) return under(field, inside?.(got) ?? []);
  return [{ field, expected, got, remedy: ownRemedy?.(got) ?? remedy }];
}

/**
 * The problems of an object's fields. A field that is left out is good unless it is required; null is not "left out", but a wrong value.
 */
export function fieldProblems(
  kinds: Kinds,
  object: object,
  { required = [], remedy }: ReadOptions,
): FieldProblem[] {
  const values = object as Readonly<Record<string, unknown>>;
  return Object.entries(kinds).flatMap(([field, each]) => {
    const got = values[field];
    if (required.includes(field)) return valueProblems(field, each, got, mend(got));
    return got === undefined ? [] : valueProblems(field, each, got, remedy);
  });
}

function mend(got: unknown): string {
  return `${got === undefined ? 'Add the field' : 'Correct the value'}: there is no default for it.`;
}

/** The same of an object that may have no other fields. */
export function objectProblems(kinds: Kinds, object: object, options: ReadOptions): FieldProblem[] {
  return [...unknownFieldProblems(object, Object.keys(kinds)), ...fieldProblems(kinds, object, options)];
}

/** The problems of something that lies within something else; a field without a name is that itself. */
export function under(path: string, problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map(problem => ({
    ...problem,
    field: /^(\[|$)/.test(problem.field) ? `${path}${problem.field}` : `${path}.${problem.field}`,
  }));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
