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

/** The same check for a field that has no default. */
export function required(optional: FieldCheck): FieldCheck {
  return (field, got) => {
    const remedy = `${got === undefined ? 'Add the field' : 'Correct the value'}: there is no default for it.`;
    return optional(field, got).map(problem => ({ ...problem, remedy }));
  };
}

/** Longest attribute name that can be part of a key. Source: DynamoDB quotas. */
const MAX_ATTRIBUTE_NAME_LENGTH = 255;

/** The name of an attribute: DynamoDB takes any text. A zero byte cannot be in a function's environment. */
export function attributeName(): FieldCheck {
  return check(
    value =>
      typeof value === 'string' &&
      value !== '' &&
      value.isWellFormed() &&
      !value.includes('\0') &&
      Buffer.byteLength(value) <= MAX_ATTRIBUTE_NAME_LENGTH,
    `the name of an attribute, 1 to ${MAX_ATTRIBUTE_NAME_LENGTH} bytes of UTF-8 without a zero`,
  );
}

function check(good: (value: unknown) => boolean, expected: string): FieldCheck {
  return (field, got) =>
    good(got)
      ? []
      : [{ field, expected, got, remedy: 'Correct the value, or leave the field out for its default.' }];
}
