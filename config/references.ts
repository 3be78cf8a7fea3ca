import { type Kind, kind } from '../expiry/fields.ts';

/**
 * Whether only Terraform knows the value: `${aws_kms_key.main.arn}`, or the token that a construct has instead. A list of them can be one
 * token, which begins with `#`.
 */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /[$#]\{/.test(value);
}

/** A text of a given form, or a reference, whose value only Terraform can check. */
export function orReference({ is, ...rest }: Kind<string>): Kind<string> {
  return { ...rest, is: (value): value is string => isReference(value) || is(value) };
}

/** A list of texts of a kind. */
export function listOf(each: Kind<string>, most: number): Kind<readonly string[]> {
  return kind(
    value =>
      Array.isArray(value) && value.length >= 1 && value.length <= most && Array.from(value).every(each.is),
    `a list of 1 to ${most}, each ${each.expected}`,
  );
}
