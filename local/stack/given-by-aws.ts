import { LOCAL_STREAM_LABEL } from 'aws-on-loopback/streams/table-stream';
/** Account, region and time of a hypothetical deployment. */
export interface Place {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  /** The suffix of the services' names in URLs. */
  readonly dnsSuffix: string;
  /** Time in IAM's format. */
  readonly deployedAt: string;
}

/** Computes an attribute of a resource. @param argument returns the value of an argument of the resource; an empty text if there is none */
type Given = (argument: (name: string) => string, place: Place) => string;

const arn =
  (service: string, resource: string, name = 'name'): Given =>
  (argument, { partition, region, account }) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}${argument(name)}`;

/** IAM's ARNs have no region, and a path that begins and ends with a slash. */
const iamArn =
  (kind: string): Given =>
  (argument, { partition, account }) =>
    `arn:${partition}:iam::${account}:${kind}${argument('path') || '/'}${argument('name')}`;

const named: Given = argument => argument('name');

const tableArn = arn('dynamodb', 'table/');
const table: Readonly<Record<string, Given>> = {
  arn: tableArn,
  stream_arn: (...of) => `${tableArn(...of)}/stream/${LOCAL_STREAM_LABEL}`,
};

/** Terraform appends the time and a number to the prefix. */
const bucketName: Given = argument => `${argument('bucket_prefix')}local`;

/**
 * Attributes that AWS computes for our stacks' resources, as far as references or the local cloud need them. Attributes that are also
 * arguments are not listed.
 */
export const GIVEN_BY_AWS: Readonly<Record<string, Readonly<Record<string, Given>>>> = {
  aws_cloudwatch_log_group: { arn: arn('logs', 'log-group:') },
  aws_cloudwatch_metric_alarm: { arn: arn('cloudwatch', 'alarm:', 'alarm_name') },
  aws_dynamodb_table: table,
  aws_iam_policy: { arn: iamArn('policy') },
  aws_iam_role: {
    arn: iamArn('role'),
    id: named,
    create_date: (_argument, { deployedAt }) => deployedAt,
  },
  aws_lambda_function: { arn: arn('lambda', 'function:', 'function_name') },
  aws_s3_bucket: {
    arn: (...of) => `arn:${of[1].partition}:s3:::${bucketName(...of)}`,
    id: bucketName,
  },
  aws_scheduler_schedule: {
    arn: (argument, place) => arn('scheduler', `schedule/${argument('group_name')}/`)(argument, place),
  },
  aws_sfn_state_machine: { arn: arn('states', 'stateMachine:') },
  aws_sns_topic: { arn: arn('sns', '') },
  aws_sqs_queue: {
    arn: arn('sqs', ''),
    url: (argument, { region, dnsSuffix, account }) =>
      `https://sqs.${region}.${dnsSuffix}/${account}/${argument('name')}`,
  },
  // A resource of Terraform itself.
  terraform_data: { output: argument => argument('input') },
  'data.aws_caller_identity': { account_id: (_argument, { account }) => account },
  'data.aws_dynamodb_table': table,
  'data.aws_partition': {
    partition: (_argument, { partition }) => partition,
    dns_suffix: (_argument, { dnsSuffix }) => dnsSuffix,
  },
  'data.aws_region': { region: (_argument, { region }) => region },
};
