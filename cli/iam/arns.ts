import type { Deployment } from '../../config/deployments.ts';
import { backfillName, bucketPrefixOf, deadLetterQueueOf, replayName } from '../../config/names.ts';
import { hasProof, type ResolvedProps } from '../../config/props.ts';
import { resolvedArchive } from '../../config/stream-props.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { scratchNameOf } from '../../operate/restore/scratch-name.ts';
import { TASKS } from '../../statemachine/contract/machines.ts';

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

/** The resources that commands use. */
export interface Operated {
  readonly place: AwsPlace;
  readonly deployments: readonly Deployment[];
}

/** The ARNs of the resources that commands use, by their names in words. */
export const OPERATED_RESOURCES = {
  '*': () => ['*'],
  'the table': operated => tablesOf(operated).flatMap(({ tableName }) => tableArns(tableName, operated)),
  "the table's index and the journal": operated => [...indexArns(operated), ...journalArns(operated)],
  'the journal': journalArns,
  'the state machine of the replays': operated => machines(operated, ({ name }) => [replayName(name)]),
  'the state machines of the ticks and of the replays': operated =>
    machines(operated, ({ name }) => [name, replayName(name)]),
  'the executions of the replays': ({ deployments, place }) =>
    deployments.map(({ name }) => arnOf(place, 'states', `execution:${replayName(name)}:*`)),
  'the state machine of the backfill': operated =>
    backfilled(operated).flatMap(name => arnsOf('aws_sfn_state_machine', name, operated.place)),
  'the executions of the backfill': operated =>
    backfilled(operated).map(name => arnOf(operated.place, 'states', `execution:${name}:*`)),
  'their Map Runs': operated =>
    backfilled(operated).map(name => arnOf(operated.place, 'states', `mapRun:${name}/*`)),
  'the schedules': ({ deployments, place }) =>
    deployments.flatMap(({ name }) => arnsOf('aws_scheduler_schedule', `${name}/*`, place)),
  'the dead-letter queue': ({ deployments, place }) =>
    deployments.flatMap(({ name }) => arnsOf('aws_sqs_queue', deadLetterQueueOf(name), place)),
  'the alarms': ({ deployments, place }) =>
    deployments
      .flatMap(({ name, tables }) => [name, ...tables.map(table => table.name)])
      .flatMap(name => arnsOf('aws_cloudwatch_metric_alarm', `${name}-*`, place)),
  'the bucket of the archive': operated => bucketArns(operated),
  'the scratch table of a drill': operated =>
    tablesOf(operated).flatMap(({ tableName }) => tableArns(scratchNameOf(tableName), operated)),
  'the functions that sweep': ({ deployments, place }) =>
    deployments.flatMap(({ name }) =>
      Object.values(TASKS).flatMap(file => arnsOf('aws_lambda_function', `${name}-${file}`, place)),
    ),
  'the queue of a verification': ({ deployments, place }) =>
    deployments.flatMap(({ name }) => arnsOf('aws_sqs_queue', `${name}-*`, place)),
  'its objects': operated => bucketArns(operated).map(arn => `${arn}/*`),
} as const satisfies Readonly<Record<string, (operated: Operated) => readonly string[]>>;

export type OperatedResource = keyof typeof OPERATED_RESOURCES;

const tablesOf = ({ deployments }: Operated): ResolvedProps[] => deployments.flatMap(({ tables }) => tables);

const tableArns = (name: string, { place }: Operated) => arnsOf('aws_dynamodb_table', name, place);

function indexArns(operated: Operated): string[] {
  return tablesOf(operated).flatMap(({ tableName, indexName }) =>
    tableArns(tableName, operated).map(arn => `${arn}/index/${indexName}`),
  );
}

function journalArns(operated: Operated): string[] {
  return operated.deployments.flatMap(({ name }) => tableArns(journalName(name), operated));
}

function machines({ deployments, place }: Operated, namesOf: (deployment: Deployment) => string[]): string[] {
  return deployments.flatMap(namesOf).flatMap(name => arnsOf('aws_sfn_state_machine', name, place));
}

function backfilled(operated: Operated): string[] {
  return tablesOf(operated).flatMap(({ backfill, name }) => (backfill ? [backfillName(name)] : []));
}

/** The name of a bucket that the deployment creates has a known prefix and a random end. */
function bucketArns(operated: Operated): string[] {
  return tablesOf(operated).flatMap(table => {
    const { archive = {}, name } = table;
    if (!hasProof(table)) return [];
    const bucket = resolvedArchive(archive).bucket ?? `${bucketPrefixOf(name)}*`;
    return arnsOf('aws_s3_bucket', bucket, operated.place);
  });
}
