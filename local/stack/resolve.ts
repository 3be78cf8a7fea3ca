import { describeProblem } from '../../expiry/errors.ts';
import { isObject } from '../../expiry/fields.ts';
import type { PlainStack } from '../../stacks/app.ts';
import { TerraformError } from '../errors.ts';

interface Place {
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  readonly deployedAt: string;
}

/** Computes an attribute of a resource. @param argument returns the value of an argument of the resource, or an empty text */
type Given = (argument: (name: string) => string, place: Place) => string;

const arn =
  (service: string, resource: string, name = 'name'): Given =>
  (argument, { partition, region, account }) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}${argument(name)}`;

/** The ARN of an IAM resource. The ARN has no region, and the path in it begins and ends with a slash. */
const iamArn =
  (kind: string): Given =>
  (argument, { partition, account }) =>
    `arn:${partition}:iam::${account}:${kind}${argument('path') || '/'}${argument('name')}`;

const named: Given = argument => argument('name');

/** The label in a stream's ARN. On AWS the label is the time at which the stream was made. */
const LOCAL_STREAM_LABEL = 'local';

const tableArn = arn('dynamodb', 'table/');

/** The name of a bucket. On AWS, Terraform appends the time and a number to the prefix; in the local cloud the ending is `local`. */
const bucketName: Given = argument => `${argument('bucket_prefix')}local`;

/** Computed attributes that the local cloud needs, by type. An attribute that is also an argument is not listed. */
const GIVEN_BY_AWS: Readonly<Record<string, Readonly<Record<string, Given>>>> = {
  aws_cloudwatch_log_group: { arn: arn('logs', 'log-group:') },
  aws_cloudwatch_log_stream: {
    arn: (argument, place) =>
      arn('logs', `log-group:${argument('log_group_name')}:log-stream:`)(argument, place),
  },
  aws_cloudwatch_metric_alarm: { arn: arn('cloudwatch', 'alarm:', 'alarm_name') },
  aws_dynamodb_table: {
    arn: tableArn,
    stream_arn: (...of) => `${tableArn(...of)}/stream/${LOCAL_STREAM_LABEL}`,
  },
  aws_iam_policy: { arn: iamArn('policy') },
  aws_iam_role: {
    arn: iamArn('role'),
    id: named,
    create_date: (_argument, { deployedAt }) => deployedAt,
  },
  aws_kinesis_firehose_delivery_stream: { arn: arn('firehose', 'deliverystream/') },
  aws_lambda_function: { arn: arn('lambda', 'function:', 'function_name') },
  aws_pipes_pipe: { arn: arn('pipes', 'pipe/') },
  aws_s3_bucket: {
    arn: (...of) => `arn:${of[1].partition}:s3:::${bucketName(...of)}`,
    id: bucketName,
  },
  aws_scheduler_schedule: {
    arn: (argument, place) => arn('scheduler', `schedule/${argument('group_name')}/`)(argument, place),
  },
  aws_sfn_state_machine: { arn: arn('states', 'stateMachine:') },
  aws_sns_topic: { arn: arn('sns', '') },
  aws_sqs_queue: { arn: arn('sqs', '') },
  terraform_data: { output: argument => argument('input') },
  'data.aws_caller_identity': { account_id: (_argument, { account }) => account },
  'data.aws_partition': { partition: (_argument, { partition }) => partition },
  'data.aws_region': { region: (_argument, { region }) => region },
};

export interface ResolvedBlock {
  readonly kind: 'resource' | 'data';
  readonly type: string;
  readonly address: string;
  /** Empty for a type without `arn` in {@link GIVEN_BY_AWS}. */
  readonly arn: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Arguments that only CDKTF and Terraform use. The local cloud does not check the conditions in `lifecycle`. */
const THEIR_OWN = ['//', 'depends_on', 'lifecycle'];

/** Matches an escape such as `$${`, or an expression such as `${…}`. In our stacks, expressions are references to attributes. */
const TEMPLATE = /\$\$\{|%%\{|%\{|\$\{([^}]*)\}?/g;
const REFERENCE = /^(data\.)?(\w+)\.([\w-]+)\.(\w+)$/;

/**
 * Replaces references; attributes that AWS computes get invented values.
 * @throws {TerraformError} for a reference to what the stack does not have, and for any other expression
 */
export function resolveReferences({ resource, data }: PlainStack, place: Place): readonly ResolvedBlock[] {
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
  return Object.entries({ resource, data }).flatMap(([kind, types]) =>
    Object.entries(types).flatMap(([type, named]) =>
      Object.entries(type === 'terraform_data' ? {} : named).map(([id, given]): ResolvedBlock => {
        const address = `${kind === 'data' ? 'data.' : ''}${type}.${id}`;
        const own = Object.entries(given).filter(([argument]) => !THEIR_OWN.includes(argument));
        const body = resolve(Object.fromEntries(own), address) as ResolvedBlock['body'];
        const arn = GIVEN_BY_AWS[type]?.['arn']?.(argument => String(body[argument] ?? ''), place) ?? '';
        return { kind: kind as ResolvedBlock['kind'], type, address, arn, body };
      }),
    ),
  );
}

/** AWS's partitions, named as in ARNs, by region prefix. Other regions are in `aws`. Our tests compare this list with the AWS SDK. */
const PARTITIONS: Readonly<Record<string, string>> = {
  'cn-': 'aws-cn',
  'us-gov-': 'aws-us-gov',
  'eusc-': 'aws-eusc',
  'us-iso-': 'aws-iso',
  'us-isob-': 'aws-iso-b',
  'eu-isoe-': 'aws-iso-e',
  'us-isof-': 'aws-iso-f',
};

export function partitionOf(region: string): string {
  const [, partition] = Object.entries(PARTITIONS).find(([prefix]) => region.startsWith(prefix)) ?? [];
  return partition ?? 'aws';
}
