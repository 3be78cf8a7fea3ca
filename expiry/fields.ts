import { type FieldProblem, InvalidArgumentError } from './errors.ts';

/** Valid values of a field of a model, configuration or command line. `fromText` converts a text to a value, which can be invalid. */
export interface Kind<Value> {
  readonly expected: string;
  readonly is: (value: unknown) => value is Value;
  readonly fromText: (text: string) => unknown;
  readonly remedy?: (got: unknown) => string;
  inside?(value: Value): FieldProblem[];
}

export type ValueOf<AnyKind> = AnyKind extends Kind<infer Value> ? Value : never;

export function kind<Value>(
  is: (value: unknown) => boolean,
  expected: string,
  more: Partial<Pick<Kind<Value>, 'fromText' | 'remedy' | 'inside'>> = {},
): Kind<Value> {
  return { expected, is: (value): value is Value => is(value), fromText: text => text, ...more };
}

export function text(pattern = /./s, expected = 'a text that is not empty'): Kind<string> {
  return kind(value => typeof value === 'string' && pattern.test(value), expected);
}

export function boolean(): Kind<boolean> {
  const fromText = (value: string) => (value === 'true' ? true : value === 'false' ? false : value);
  return kind(value => typeof value === 'boolean', 'true or false', { fromText });
}

export function number(least: number, most: number): Kind<number> {
  const isNumber = (value: unknown) => typeof value === 'number' && value >= least && value <= most;
  return kind(isNumber, `a number from ${least} to ${most}`, {
    fromText: decimal,
  });
}

export function whole(least: number, most: number, what = 'a whole number'): Kind<number> {
  const { is, fromText } = number(least, most);
  return kind(value => is(value) && Number.isInteger(value), `${what} from ${least} to ${most}`, {
    fromText,
  });
}

export function oneOf<const Value>(values: readonly Value[]): Kind<Value> {
  const expected = `one of ${values.map(value => JSON.stringify(value)).join(', ')}`;
  return kind(value => values.some(each => each === value), expected);
}

function decimal(value: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

export type Kinds = Readonly<Record<string, Kind<unknown>>>;

export interface ReadOptions {
  readonly required?: readonly string[];
  readonly remedy: string;
}

export function valueProblems(
  field: string,
  { expected, is, inside, remedy: ownRemedy }: Kind<unknown>,
  got: unknown,
  remedy: string,
): FieldProblem[] {
  if (is(got)) return under(field, inside?.(got) ?? []);
  return [{ field, expected, got, remedy: ownRemedy?.(got) ?? remedy }];
}

/** Finds fields with wrong values and required fields that are missing. A field with null is not missing. */
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

export function objectProblems(kinds: Kinds, object: object, options: ReadOptions): FieldProblem[] {
  return [...unknownFieldProblems(object, Object.keys(kinds)), ...fieldProblems(kinds, object, options)];
}

export function under(path: string, problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map(problem => ({
    ...problem,
    field: /^(\[|$)/.test(problem.field) ? `${path}${problem.field}` : `${path}.${problem.field}`,
  }));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function unknownFieldProblems(object: object, known: readonly string[]): FieldProblem[] {
  return Object.keys(object)
    .filter(name => !known.includes(name))
    .map(name => {
      const meant = nearestName(name, known);
      return {
        field: name,
        expected: `one of the fields ${known.join(', ')}`,
        got: `the field ${name}`,
        remedy: meant ? `Did you mean ${meant}?` : 'Remove it.',
      };
    });
}

/** The known name that differs from `typed` in the fewest letters, regardless of case; undefined if none is similar. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map(name => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  return nearest && nearest.distance <= 1 + typed.length / 4 ? nearest.name : undefined;
}

function editDistance(one: string, other: string): number {
  const columns = [...other];
  let distances = [0, ...columns.map((_letter, column) => column + 1)];
  for (const letter of one) {
    const [first = 0] = distances;
    const next = [first + 1];
    for (const [column, otherLetter] of columns.entries()) {
      const replaced = (distances[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      const dropped = (distances[column + 1] ?? 0) + 1;
      const inserted = (next[column] ?? 0) + 1;
      next.push(Math.min(replaced, dropped, inserted));
    }
    distances = next;
  }
  return distances.at(-1) ?? 0;
}

export function checkOptions(options: unknown, known: readonly string[]): void {
  if (!isObject(options)) {
    throw new InvalidArgumentError({
      field: 'options',
      expected: `an object with ${known.join(', ')}`,
      got: options,
      remedy: 'Leave it out for the defaults.',
    });
  }
  const [problem] = unknownFieldProblems(options, known);
  if (problem) throw new InvalidArgumentError(problem);
}
