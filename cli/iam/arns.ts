/** The place of a deployment, as ARNs contain it. */
export interface AwsPlace {
  readonly partition: string;
  readonly region: string;
  /** `*` if the account is not given. */
  readonly account: string;
}

interface ArnForm {
  readonly service: string;
  /** The last parts of the ARN: several if IAM wants another form for some actions. */
  readonly resources: (name: string) => readonly string[];
  /** Parts that the ARN leaves out: IAM has no region, S3 neither region nor account. @default 'region' */
  readonly within?: 'account' | 'partition';
}

/** Forms of ARNs, by Terraform resource type. Source: AWS Service Authorization Reference. */
const FORMS = {
  aws_cloudwatch_dashboard: {
    service: 'cloudwatch',
    resources: name => [`dashboard/${name}`],
    within: 'account',
  },
  aws_cloudwatch_log_group: {
    service: 'logs',
    // Some actions need permission on the log streams of the group, whose ARNs end with `:*`.
    resources: name =>
      name.endsWith('*') ? [`log-group:${name}`] : [`log-group:${name}`, `log-group:${name}:*`],
  },
  aws_cloudwatch_metric_alarm: { service: 'cloudwatch', resources: name => [`alarm:${name}`] },
  aws_dynamodb_table: { service: 'dynamodb', resources: name => [`table/${name}`] },
  aws_iam_policy: { service: 'iam', resources: name => [`policy/${name}`], within: 'account' },
  aws_iam_role: { service: 'iam', resources: name => [`role/${name}`], within: 'account' },
  aws_lambda_event_source_mapping: { service: 'lambda', resources: () => ['event-source-mapping:*'] },
  aws_lambda_function: { service: 'lambda', resources: name => [`function:${name}`] },
  aws_s3_bucket: { service: 's3', resources: name => [name], within: 'partition' },
  aws_scheduler_schedule: { service: 'scheduler', resources: name => [`schedule/${name}`] },
  aws_scheduler_schedule_group: { service: 'scheduler', resources: name => [`schedule-group/${name}`] },
  aws_sfn_state_machine: { service: 'states', resources: name => [`stateMachine:${name}`] },
  aws_sns_topic: { service: 'sns', resources: name => [name] },
  aws_sqs_queue: { service: 'sqs', resources: name => [name] },
} as const satisfies Readonly<Record<string, ArnForm>>;

export type ArnType = keyof typeof FORMS;

export function hasArn(type: string): type is ArnType {
  return type in FORMS;
}

/**
 * The ARNs of one resource in a policy; the first is the resource itself.
 * @param name of the resource; for a role or a policy with its path, for a schedule with its group
 */
export function arnsOf(type: ArnType, name: string, place: AwsPlace): string[] {
  const { service, resources, within }: ArnForm = FORMS[type];
  return resources(name).map(resource => arnOf(place, service, resource, within));
}

export function arnOf(
  { partition, region, account }: AwsPlace,
  service: string,
  resource: string,
  within: ArnForm['within'] | 'region' = 'region',
): string {
  const inRegion = within === 'region' ? region : '';
  return `arn:${partition}:${service}:${inRegion}:${within === 'partition' ? '' : account}:${resource}`;
}
