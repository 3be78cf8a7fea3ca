import { partitionOf } from '../../stacks/regions.ts';
import type { JsonObject } from './json.ts';

/** Stands for the label of a stream in its ARN, until the table is made. */
export const LOCAL_STREAM_LABEL = 'local';

/** Where a stack would be deployed. */
export interface Place {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  /** When it was deployed, as IAM writes times. */
  readonly deployedAt: string;
}

/** An argument of the resource; throws when it is not there. */
type Get = (name: string) => string;

type Computed = Readonly<
  Record<string, (argument: Get, place: Place, has: (name: string) => boolean) => string>
>;

const arn =
  (service: string, resource: (name: string) => string, argument = 'name') =>
  (get: Get, { partition, region, account }: Place): string =>
    `arn:${partition}:${service}:${region}:${account}:${resource(get(argument))}`;
const named = (get: Get): string => get('name');
/** IAM has no region in its ARNs, and a path, which begins and ends with a slash. */
const iamArn =
  (kind: string) =>
  (get: Get, { partition, account }: Place): string =>
    `arn:${partition}:iam::${account}:${kind}${get('path')}${get('name')}`;
const tableArn = arn('dynamodb', name => `table/${name}`);
/** AWS labels a stream with the time at which it was made; a table has one stream. */
const streamArn = arn('dynamodb', name => `table/${name}/stream/${LOCAL_STREAM_LABEL}`);
const machineArn = arn('states', name => `stateMachine:${name}`);
const queueUrl = (get: Get, { region, account }: Place): string =>
  `https://sqs.${region}.${partitionOf(region).dnsSuffix}/${account}/${get('name')}`;

/** Terraform puts the time and a number behind a prefix. */
const bucketName = (get: Get, _place: Place, has: (name: string) => boolean): string =>
  has('bucket') ? get('bucket') : `${get('bucket_prefix')}local`;
const bucketArn: typeof bucketName = (get, place, has) =>
  `arn:${place.partition}:s3:::${bucketName(get, place, has)}`;

/**
 * Attributes that AWS gives a resource when it is created, by resource type. Attributes that are arguments
 * as well (`name`, `function_name`…) are not here: they are read from the resource itself.
 */
const RESOURCE_ATTRIBUTES: Readonly<Record<string, Computed>> = {
  aws_dynamodb_table: { arn: tableArn, id: named, stream_arn: streamArn },
  aws_s3_bucket: { arn: bucketArn, bucket: bucketName, id: bucketName },
  aws_lambda_function: {
    arn: arn('lambda', name => `function:${name}`, 'function_name'),
    id: get => get('function_name'),
  },
  aws_sfn_state_machine: { arn: machineArn, id: machineArn },
  aws_scheduler_schedule: {
    arn: (get, { partition, region, account }) =>
      `arn:${partition}:scheduler:${region}:${account}:schedule/${get('group_name')}/${get('name')}`,
    id: get => `${get('group_name')}/${get('name')}`,
  },
  aws_scheduler_schedule_group: { arn: arn('scheduler', name => `schedule-group/${name}`), id: named },
  aws_iam_role: {
    arn: iamArn('role'),
    id: named,
    unique_id: get => `AROA${get('name')}`,
    create_date: (_get, { deployedAt }) => deployedAt,
  },
  aws_iam_policy: { arn: iamArn('policy'), id: iamArn('policy') },
  // Terraform's own.
  terraform_data: { output: get => get('input') },
  aws_sqs_queue: { arn: arn('sqs', name => name), id: queueUrl, url: queueUrl },
  aws_sns_topic: { arn: arn('sns', name => name), id: arn('sns', name => name) },
  aws_cloudwatch_log_group: { arn: arn('logs', name => `log-group:${name}`), id: named },
  aws_cloudwatch_metric_alarm: {
    arn: arn('cloudwatch', name => `alarm:${name}`, 'alarm_name'),
    id: get => get('alarm_name'),
  },
};

/** Attributes of data sources, by type. `aws_iam_policy_document.json` is made where the document is read. */
const DATA_ATTRIBUTES: Readonly<Record<string, Computed>> = {
  aws_dynamodb_table: { arn: tableArn, id: named, stream_arn: streamArn },
  aws_caller_identity: {
    account_id: (_, place) => place.account,
    id: (_, place) => place.account,
    arn: (_, place) => `arn:${place.partition}:iam::${place.account}:user/local`,
    user_id: () => 'AIDALOCAL',
  },
  aws_partition: {
    partition: (_, place) => place.partition,
    id: (_, place) => place.partition,
    dns_suffix: (_, place) => partitionOf(place.region).dnsSuffix,
  },
  aws_region: {
    name: (_, place) => place.region,
    region: (_, place) => place.region,
    id: (_, place) => place.region,
  },
  aws_iam_policy_document: {},
  // Only imports ask for it, and there are none here.
  aws_cloudwatch_log_groups: {},
};

/** What a provider fills in when the argument is left out, as far as other resources refer to it. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  aws_iam_policy: { path: '/' },
  aws_iam_role: { path: '/' },
  aws_scheduler_schedule: { group_name: 'default' },
};

export function computedAttribute(kind: 'resource' | 'data', type: string, attribute: string) {
  return (kind === 'data' ? DATA_ATTRIBUTES : RESOURCE_ATTRIBUTES)[type]?.[attribute];
}

export function isKnownDataSource(type: string): boolean {
  return type in DATA_ATTRIBUTES;
}

export function defaultArgument(type: string, argument: string): string | undefined {
  return DEFAULTS[type]?.[argument];
}

/** The policy that `data.aws_iam_policy_document.<name>.json` stands for. */
export function policyDocument(body: JsonObject): JsonObject {
  const list = (value: unknown): unknown[] =>
    value === undefined ? [] : Array.isArray(value) ? value : [value];
  const statements = list(body['statement']) as JsonObject[];
  return {
    Version: '2012-10-17',
    Statement: statements.map(statement => {
      const entry: Record<string, JsonObject[string]> = { Effect: statement['effect'] ?? 'Allow' };
      if (statement['sid'] !== undefined) entry['Sid'] = statement['sid'];
      if (statement['actions'] !== undefined) entry['Action'] = statement['actions'];
      if (statement['resources'] !== undefined) entry['Resource'] = statement['resources'];
      const principals = list(statement['principals']) as JsonObject[];
      if (principals.length > 0) {
        entry['Principal'] = Object.fromEntries(
          principals.map(p => [String(p['type']), p['identifiers'] ?? []]),
        );
      }
      const conditions: Record<string, Record<string, JsonObject[string]>> = {};
      for (const condition of list(statement['condition']) as JsonObject[]) {
        const test = String(condition['test']);
        conditions[test] = {
          ...conditions[test],
          [String(condition['variable'])]: condition['values'] ?? [],
        };
      }
      if (Object.keys(conditions).length > 0) entry['Condition'] = conditions;
      return entry;
    }),
  };
}
