export interface IamAction {
  readonly action: string;
  /** The resource in words, e.g. `the table`; `*` if IAM has no resource for the action. */
  readonly on: string;
  /** The effect of a missing permission, if the command still works without it. */
  readonly without?: string;
}

const TABLE = 'the table';
const REPLAYS = 'the state machine of the replays';
const EXECUTIONS = 'the executions of the replays';

const on = (resource: string, actions: readonly string[], without?: string): IamAction[] =>
  actions.map(action => ({ action, on: resource, ...(without !== undefined && { without }) }));

const JOURNAL = 'the journal';
const SET = on(JOURNAL, ['dynamodb:Query', 'dynamodb:UpdateItem']);

const TABLE_REMOVAL = ['dynamodb:DescribeTable', 'dynamodb:ListTagsOfResource', 'dynamodb:DeleteTable'];
const VERIFY_QUEUE = 'the queue of a verification';
const UNMEASURED = 'that is not measured';

const UNCHECKED = 'that check is not made';

/** The IAM actions that commands need. The help and docs/reference/iam.md list them. Tests compare most with the commands' requests. */
export const COMMAND_ACTIONS = {
  adopt: on(TABLE, [
    'dynamodb:DescribeTable',
    'dynamodb:DescribeTimeToLive',
    'dynamodb:Scan',
    'dynamodb:UpdateTable',
    'dynamodb:UpdateTimeToLive',
  ]),
  replay: [
    ...on('*', ['states:ListStateMachines']),
    ...on(REPLAYS, ['states:StartExecution']),
    ...on(EXECUTIONS, ['states:DescribeExecution']),
  ],
  pause: SET,
  resume: SET,
  doctor: [
    ...on(TABLE, ['dynamodb:DescribeTable', 'dynamodb:DescribeTimeToLive', 'dynamodb:Scan'], UNCHECKED),
    ...on("the table's index", ['dynamodb:Scan'], 'with --all: the index is not read'),
    ...on(JOURNAL, ['dynamodb:Query'], UNCHECKED),
    ...on('the schedule', ['scheduler:GetSchedule'], UNCHECKED),
    ...on('the state machine', ['states:DescribeStateMachine'], UNCHECKED),
    ...on('the dead-letter queue', ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'], UNCHECKED),
    ...on('*', ['lambda:GetAccountSettings'], UNCHECKED),
    ...on('the pipes', ['pipes:DescribePipe'], UNCHECKED),
    ...on('the alarms', ['cloudwatch:DescribeAlarms'], UNCHECKED),
    ...on('the topic of the alarms', ['sns:GetTopicAttributes'], UNCHECKED),
    ...on('*', ['cloudwatch:GetMetricData'], UNCHECKED),
  ],
  status: [
    ...on("the table's index and the journal", ['dynamodb:Query'], UNCHECKED),
    ...on(TABLE, ['dynamodb:Scan'], UNCHECKED),
    ...on('the schedule', ['scheduler:GetSchedule'], UNCHECKED),
    ...on('the alarms', ['cloudwatch:DescribeAlarms'], UNCHECKED),
  ],
  backfill: on(TABLE, ['dynamodb:DescribeTable', 'dynamodb:Scan', 'dynamodb:UpdateItem']),
  verify: [
    ...on(TABLE, ['dynamodb:PutItem']),
    ...on('the table and the journal', TABLE_REMOVAL),
    ...on(TABLE, ['dynamodb:Scan'], UNMEASURED),
    ...on("the table's index and the journal", ['dynamodb:Query'], UNMEASURED),
    ...on('*', ['sqs:ListQueues']),
    // CreateQueue with tags needs the permission TagQueue, too. TagQueue is not called.
    ...on(VERIFY_QUEUE, ['sqs:CreateQueue', 'sqs:TagQueue', 'sqs:GetQueueAttributes', 'sqs:DeleteQueue']),
    ...on(VERIFY_QUEUE, ['sqs:ReceiveMessage', 'sqs:DeleteMessage'], UNMEASURED),
    ...on('*', ['states:TestState', 'cloudwatch:GetMetricData'], UNMEASURED),
    ...on(REPLAYS, ['states:StartExecution'], UNMEASURED),
    ...on(EXECUTIONS, ['states:DescribeExecution'], UNMEASURED),
  ],
} as const satisfies Readonly<Record<string, readonly IamAction[]>>;

export function groupedActions(actions: readonly IamAction[]): string[] {
  const groups = Map.groupBy(actions, ({ action, on: to }) => action.replace(/:.*/, `: on ${to}`));
  return [...groups].map(([key, all]) => {
    return key.replace(':', `:${all.map(({ action }) => action.replace(/.*:/, '')).join(', ')}`);
  });
}
