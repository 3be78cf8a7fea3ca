import type { Kind } from '../../expiry/fields.ts';

/** Whether only Terraform knows the value: a reference (`${aws_kms_key.main.arn}`) or a token of CDKTF (`${…}`; for a list, `#{…}`). */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /[$#]\{/.test(value);
}

export function orReference({ is, ...rest }: Kind<string>): Kind<string> {
  return { ...rest, is: (value): value is string => isReference(value) || is(value) };
}

/**
 * Escapes `${` and `%{`, because Terraform reads every string in `cdk.tf.json` as a template. Source: Terraform, "Strings and
 * Templates".
 */
export function escaped(text: string): string {
  return text.replaceAll(/[$%]\{/g, begin => `${begin[0]}${begin}`);
}

export function literal(text: string): string {
  const quoted = JSON.stringify(text).replaceAll(/\\./g, each => NOT_IN_TERRAFORM[each] ?? each);
  return escaped(quoted);
}

const NOT_IN_TERRAFORM: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' };
