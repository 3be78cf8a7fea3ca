import { describeProblem } from '../../expiry/errors.ts';
import { isObject } from '../../expiry/fields.ts';
import type { PlainStack } from '../../stacks/plain-stack.ts';
import { TerraformError } from '../errors.ts';
import { GIVEN_BY_AWS, type Place } from './given-by-aws.ts';

/** A resource or data source with every reference replaced by its value. */
export interface ResolvedBlock {
  readonly kind: 'resource' | 'data';
  readonly type: string;
  /** `aws_lambda_function.plan` or `data.aws_region.current`. */
  readonly address: string;
  /** Empty for a resource without an ARN, or whose ARN contains a number that AWS chooses. */
  readonly arn: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ResolvedStack {
  readonly blocks: readonly ResolvedBlock[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Arguments of CDKTF and Terraform themselves. Terraform checks the conditions. */
const THEIR_OWN = ['//', 'depends_on', 'lifecycle'];

/** An escape, or an expression: our stacks contain references to attributes. */
const TEMPLATE = /\$\$\{|%%\{|%\{|\$\{([^}]*)\}?/g;
const REFERENCE = /^(data\.)?(\w+)\.([\w-]+)\.(\w+)$/;

/**
 * Replaces references as Terraform does at an apply: by values in the stack, or, for attributes that AWS computes, by likely values.
 * @throws {TerraformError} for other expressions, which only an override can have
 */
export function resolveReferences({ resource, data, output }: PlainStack, place: Place): ResolvedStack {
  const valueIn = (expression: string): string | undefined => {
    const [, prefix = '', type = '', id = '', attribute = ''] = REFERENCE.exec(expression) ?? [];
    const block = (prefix ? data : resource)[type]?.[id];
    if (block === undefined) return undefined;
    const argument = (name: string) => textIn(block[name] ?? '', expression);
    const given = GIVEN_BY_AWS[`${prefix}${type}`]?.[attribute];
    if (given !== undefined) return given(argument, place);
    return typeof block[attribute] === 'string' ? argument(attribute) : undefined;
  };
  const textIn = (text: unknown, field: string): string =>
    String(text).replaceAll(TEMPLATE, (template, expression?: string) => {
      if (template === '$${' || template === '%%{') return template.slice(1);
      const value = expression === undefined ? undefined : valueIn(expression.trim());
      if (value !== undefined) return value;
      const expected = `a value, or a reference such as \${aws_sns_topic.NAME.arn} to what the stack has`;
      const remedy = 'Give the value itself: on this machine there is no Terraform to evaluate others.';
      throw new TerraformError([describeProblem({ field, expected, got: template, remedy })]);
    });
  const resolve = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') return textIn(value, field);
    if (Array.isArray(value)) return value.map((item, index) => resolve(item, `${field}[${index}]`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, resolve(item, `${field}.${name}`)]),
    );
  };
  const blocks = Object.entries({ resource, data }).flatMap(([kind, types]) =>
    Object.entries(types).flatMap(([type, named]) =>
      Object.entries(named).map(([id, given]): ResolvedBlock => {
        const address = `${kind === 'data' ? 'data.' : ''}${type}.${id}`;
        const own = Object.entries(given).filter(([argument]) => !THEIR_OWN.includes(argument));
        const body = resolve(Object.fromEntries(own), address) as ResolvedBlock['body'];
        const arn = GIVEN_BY_AWS[type]?.['arn']?.(argument => String(body[argument] ?? ''), place) ?? '';
        return { kind: kind as ResolvedBlock['kind'], type, address, arn, body };
      }),
    ),
  );
  return {
    blocks,
    outputs: Object.fromEntries(
      Object.entries(output).map(([name, { value }]) => [name, resolve(value, `output.${name}`)]),
    ),
  };
}
