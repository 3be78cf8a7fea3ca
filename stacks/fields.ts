import type { FieldProblem } from '../expiry/errors.ts';

/** Judges one field's value; an empty list is a good one. */
export type FieldCheck = (field: string, value: unknown) => FieldProblem[];

/** A check for every field of a configuration object; undefined where another place judges it. */
export type FieldChecks<Fields> = { readonly [Name in keyof Required<Fields>]: FieldCheck | undefined };

export function text(pattern = /./, expected = 'a text that is not empty'): FieldCheck {
  return check(value => typeof value === 'string' && pattern.test(value), expected);
}

export function boolean(): FieldCheck {
  return check(value => typeof value === 'boolean', 'true or false');
}

export function whole(least: number, most: number): FieldCheck {
  const inRange = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  return check(inRange, `a whole number from ${least} to ${most}`);
}

export function oneOf(values: readonly unknown[]): FieldCheck {
  return check(
    value => values.includes(value),
    `one of ${values.map(value => JSON.stringify(value)).join(', ')}`,
  );
}

function check(good: (value: unknown) => boolean, expected: string): FieldCheck {
  return (field, got) =>
    good(got)
      ? []
      : [{ field, expected, got, remedy: 'Correct the value, or leave the field out for its default.' }];
}
