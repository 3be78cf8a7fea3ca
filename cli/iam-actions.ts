import type { OperatedResource } from './iam/arns.ts';

/** An action that IAM must allow to the user, and the reason. */
export interface IamAction {
  /** Name in IAM: `dynamodb:DescribeTable`. */
  readonly action: string;
  /** The resource in words, e.g. `the table`; `*` if IAM has no resource for it. */
  readonly on: OperatedResource;
  /** AWS checks this permission during another call; no call has this name. */
  readonly isImplied?: true;
  /** The effect of a missing permission, if the command still works without it. */
  readonly without?: string;
}

const TABLE = 'the table';
const REPLAYS = 'the state machine of the replays';
const EXECUTIONS = 'the executions of the replays';
const BACKFILL = 'the state machine of the backfill';
const BACKFILLS = 'the executions of the backfill';

const on = (resource: OperatedResource, actions: readonly string[], without?: string): IamAction[] =>
  actions.map(action => ({ action, on: resource, ...(without !== undefined && { without }) }));

const FIND_MACHINES = on('*', ['states:ListStateMachines']);
const FOLLOW = on(EXECUTIONS, ['states:DescribeExecution']);

const JOURNAL = 'the journal';
const SET = on(JOURNAL, ['dynamodb:Query', 'dynamodb:UpdateItem']);
const LIST_REPLAYS = on(REPLAYS, ['states:ListExecutions']);

const VERIFY_QUEUE = 'the queue of a verification';
const UNMEASURED = 'that is not measured';

/** The doctor reports the checks that it could not make. */
const UNCHECKED = 'that check is not made';

const STATUS = [
  ...on("the table's index and the journal", ['dynamodb:Query'], UNCHECKED),
  ...on(TABLE, ['dynamodb:BatchGetItem'], 'only with hold; it does not say what is overdue'),
  ...on('*', ['states:ListStateMachines'], UNCHECKED),
  ...on(REPLAYS, ['states:ListExecutions'], UNCHECKED),
  ...on('the schedules', ['scheduler:GetSchedule'], UNCHECKED),
  ...on('the dead-letter queue', ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'], UNCHECKED),
  ...on('the alarms', ['cloudwatch:DescribeAlarms'], UNCHECKED),
];

/**
 * The IAM actions of each command that calls AWS by itself. The help and docs/reference/iam.md are generated from this list; a
 * test compares it with the real calls.
 */
export const COMMAND_ACTIONS = {
  adopt: [
    ...on(TABLE, [
      'dynamodb:DescribeTable',
      'dynamodb:DescribeTimeToLive',
      'dynamodb:Scan',
      'dynamodb:UpdateTable',
      'dynamodb:UpdateTimeToLive',
    ]),
    ...on(TABLE, ['dynamodb:PartiQLDelete'], 'what is expired already is left: --delete-expired'),
    ...on('*', ['cloudwatch:GetMetricData'], 'it does not know how busy the table is'),
  ],
  replay: [...FIND_MACHINES, ...on(REPLAYS, ['states:StartExecution']), ...FOLLOW],
  pause: [...SET, ...FIND_MACHINES, ...LIST_REPLAYS],
  resume: [
    ...SET,
    ...FIND_MACHINES,
    ...on('the state machines of the ticks and of the replays', ['states:StartExecution']),
    ...FOLLOW,
  ],
  limit: SET,
  doctor: [
    ...on(TABLE, ['dynamodb:DescribeTable', 'dynamodb:DescribeTimeToLive', 'dynamodb:Scan'], UNCHECKED),
    ...on(JOURNAL, ['dynamodb:Query'], UNCHECKED),
    ...on('*', ['states:ListStateMachines'], UNCHECKED),
    ...on(REPLAYS, ['states:DescribeStateMachine'], UNCHECKED),
    ...on('the schedules', ['scheduler:GetSchedule'], UNCHECKED),
    ...on('the dead-letter queue', ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'], UNCHECKED),
    ...on('*', ['lambda:GetAccountSettings', 'lambda:ListEventSourceMappings'], UNCHECKED),
    ...on('the alarms', ['cloudwatch:DescribeAlarms'], UNCHECKED),
    ...on('*', ['cloudwatch:GetMetricData'], UNCHECKED),
  ],
  status: STATUS,
  // Besides, the history and the audit query the journal.
  dashboard: STATUS,
  history: on(JOURNAL, ['dynamodb:Query']),
  audit: on(JOURNAL, ['dynamodb:Query']),
  backfill: [
    ...on(TABLE, ['dynamodb:DescribeTable'], 'it does not say how long it takes'),
    ...FIND_MACHINES,
    ...on(BACKFILL, ['states:StartExecution', 'states:ListExecutions']),
    ...on(BACKFILLS, ['states:DescribeExecution', 'states:ListMapRuns']),
    ...on('their Map Runs', ['states:DescribeMapRun']),
  ],
  restore: [
    ...on(TABLE, ['dynamodb:DescribeTable', 'dynamodb:PutItem']),
    ...on('the bucket of the archive', ['s3:ListBucket']),
    ...on('its objects', ['s3:GetObject']),
    ...on(
      'the scratch table of a drill',
      [
        'dynamodb:CreateTable',
        'dynamodb:DeleteTable',
        'dynamodb:DescribeTable',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
      ],
      'only with --drill, which does not work',
    ),
    {
      action: 'dynamodb:TagResource',
      on: 'the scratch table of a drill',
      isImplied: true,
      without: 'only with --drill, which does not work',
    },
  ],
  proof: [
    ...on(JOURNAL, ['dynamodb:Query']),
    ...on('the bucket of the archive', ['s3:ListBucket']),
    ...on('its objects', ['s3:GetObject']),
  ],
  verify: [
    ...on(TABLE, [
      'dynamodb:PutItem',
      'dynamodb:DescribeTable',
      'dynamodb:ListTagsOfResource',
      'dynamodb:DeleteTable',
    ]),
    ...on(TABLE, ['dynamodb:GetItem'], UNMEASURED),
    ...on("the table's index and the journal", ['dynamodb:Query'], UNMEASURED),
    ...on('*', ['sqs:ListQueues']),
    ...on(VERIFY_QUEUE, ['sqs:CreateQueue', 'sqs:GetQueueAttributes', 'sqs:DeleteQueue']),
    { action: 'sqs:TagQueue', on: VERIFY_QUEUE, isImplied: true },
    ...on(VERIFY_QUEUE, ['sqs:ReceiveMessage', 'sqs:DeleteMessage'], UNMEASURED),
    ...on('the functions that sweep', ['lambda:InvokeFunction'], UNMEASURED),
    ...on('*', ['states:TestState', 'cloudwatch:GetMetricData'], UNMEASURED),
    ...on(REPLAYS, ['states:StartExecution'], UNMEASURED),
    ...on(EXECUTIONS, ['states:DescribeExecution'], UNMEASURED),
  ],
} as const satisfies Readonly<Record<string, readonly IamAction[]>>;

/** The actions as a line of a help text: `IAM: dynamodb:DescribeTable, Scan on the table; …`, wrapped to its width. */
export function describeActions(command: keyof typeof COMMAND_ACTIONS): string {
  return `It needs in IAM: ${groupedActions(COMMAND_ACTIONS[command]).join('; ')}.`;
}

/** Groups actions by service and resource: `service:Action, Action on a resource`. */
export function groupedActions(actions: readonly IamAction[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { action, on: resource } of actions) {
    const [service = '', name = ''] = action.split(':');
    const key = `${service}: on ${resource}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([key, names]) => key.replace(': ', `:${names.join(', ')} `));
}

const LOG_GROUP = ['logs:ListTagsForResource', 'logs:TagResource', 'logs:UntagResource'];

/**
 * The IAM actions of `deploy`, `diff` and `destroy`, by Terraform resource type: what the AWS provider calls to create, read,
 * change and delete a resource. A test checks that every synthesized type is listed.
 */
export const DEPLOY_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  aws_caller_identity: ['sts:GetCallerIdentity'],
  aws_cloudwatch_dashboard: [
    'cloudwatch:DeleteDashboards',
    'cloudwatch:GetDashboard',
    'cloudwatch:PutDashboard',
  ],
  aws_cloudwatch_log_group: [
    'logs:AssociateKmsKey',
    'logs:CreateLogGroup',
    'logs:DeleteLogGroup',
    'logs:DeleteRetentionPolicy',
    'logs:DescribeLogGroups',
    'logs:DisassociateKmsKey',
    ...LOG_GROUP,
    'logs:PutRetentionPolicy',
  ],
  // Data source that finds an existing log group.
  aws_cloudwatch_log_groups: ['logs:DescribeLogGroups'],
  aws_cloudwatch_metric_alarm: [
    'cloudwatch:DeleteAlarms',
    'cloudwatch:DescribeAlarms',
    'cloudwatch:ListTagsForResource',
    'cloudwatch:PutMetricAlarm',
    'cloudwatch:TagResource',
    'cloudwatch:UntagResource',
  ],
  aws_dynamodb_table: [
    'dynamodb:CreateTable',
    'dynamodb:DescribeContinuousBackups',
    'dynamodb:DescribeTable',
    'dynamodb:DescribeTimeToLive',
    'dynamodb:ListTagsOfResource',
    'dynamodb:TagResource',
    'dynamodb:UntagResource',
    'dynamodb:UpdateContinuousBackups',
    'dynamodb:UpdateTable',
    'dynamodb:UpdateTimeToLive',
  ],
  // Policies for statements that do not fit into one inline policy of a role.
  aws_iam_policy: [
    'iam:CreatePolicy',
    'iam:CreatePolicyVersion',
    'iam:DeletePolicy',
    'iam:DeletePolicyVersion',
    'iam:GetPolicy',
    'iam:GetPolicyVersion',
    'iam:ListPolicyVersions',
    'iam:TagPolicy',
    'iam:UntagPolicy',
  ],
  aws_iam_role: [
    'iam:CreateRole',
    'iam:DeleteRole',
    'iam:DeleteRolePermissionsBoundary',
    'iam:GetRole',
    'iam:ListAttachedRolePolicies',
    'iam:ListInstanceProfilesForRole',
    'iam:ListRolePolicies',
    'iam:PassRole',
    'iam:PutRolePermissionsBoundary',
    'iam:TagRole',
    'iam:UntagRole',
    'iam:UpdateAssumeRolePolicy',
  ],
  aws_iam_role_policy: ['iam:DeleteRolePolicy', 'iam:GetRolePolicy', 'iam:PutRolePolicy'],
  aws_iam_role_policy_attachment: [
    'iam:AttachRolePolicy',
    'iam:DetachRolePolicy',
    'iam:ListAttachedRolePolicies',
  ],
  aws_lambda_event_source_mapping: [
    'lambda:CreateEventSourceMapping',
    'lambda:DeleteEventSourceMapping',
    'lambda:GetEventSourceMapping',
    'lambda:ListTags',
    'lambda:TagResource',
    'lambda:UntagResource',
    'lambda:UpdateEventSourceMapping',
  ],
  aws_lambda_function: [
    'lambda:CreateFunction',
    'lambda:DeleteFunction',
    'lambda:GetFunction',
    'lambda:GetFunctionCodeSigningConfig',
    'lambda:ListVersionsByFunction',
    'lambda:TagResource',
    'lambda:UntagResource',
    'lambda:UpdateFunctionCode',
    'lambda:UpdateFunctionConfiguration',
  ],
  // The provider knows it from its configuration: no call is made.
  aws_partition: [],
  aws_region: [],
  // No action deletes a bucket, because buckets are never deleted.
  aws_s3_bucket: [
    's3:CreateBucket',
    's3:GetAccelerateConfiguration',
    's3:GetBucketAcl',
    's3:GetBucketCORS',
    's3:GetBucketLogging',
    's3:GetBucketObjectLockConfiguration',
    's3:GetBucketPolicy',
    's3:GetBucketRequestPayment',
    's3:GetBucketTagging',
    's3:GetBucketVersioning',
    's3:GetBucketWebsite',
    's3:GetEncryptionConfiguration',
    's3:GetLifecycleConfiguration',
    's3:GetReplicationConfiguration',
    's3:ListBucket',
    's3:ListTagsForResource',
    's3:PutBucketTagging',
    's3:TagResource',
    's3:UntagResource',
  ],
  aws_s3_bucket_lifecycle_configuration: ['s3:GetLifecycleConfiguration', 's3:PutLifecycleConfiguration'],
  aws_s3_bucket_ownership_controls: ['s3:GetBucketOwnershipControls', 's3:PutBucketOwnershipControls'],
  aws_s3_bucket_policy: ['s3:GetBucketPolicy', 's3:PutBucketPolicy'],
  aws_s3_bucket_public_access_block: ['s3:GetBucketPublicAccessBlock', 's3:PutBucketPublicAccessBlock'],
  aws_s3_bucket_server_side_encryption_configuration: [
    's3:GetEncryptionConfiguration',
    's3:PutEncryptionConfiguration',
  ],
  aws_s3_bucket_versioning: ['s3:GetBucketVersioning', 's3:PutBucketVersioning'],
  aws_scheduler_schedule: [
    'scheduler:CreateSchedule',
    'scheduler:DeleteSchedule',
    'scheduler:GetSchedule',
    'scheduler:UpdateSchedule',
  ],
  aws_scheduler_schedule_group: [
    'scheduler:CreateScheduleGroup',
    'scheduler:DeleteScheduleGroup',
    'scheduler:GetScheduleGroup',
    'scheduler:ListTagsForResource',
    'scheduler:TagResource',
    'scheduler:UntagResource',
  ],
  aws_sfn_state_machine: [
    'states:CreateStateMachine',
    'states:DeleteStateMachine',
    'states:DescribeStateMachine',
    'states:ListStateMachineVersions',
    'states:ListTagsForResource',
    'states:TagResource',
    'states:UntagResource',
    'states:UpdateStateMachine',
    'states:ValidateStateMachineDefinition',
  ],
  aws_sns_topic: [
    'sns:CreateTopic',
    'sns:DeleteTopic',
    'sns:GetTopicAttributes',
    'sns:ListTagsForResource',
    'sns:SetTopicAttributes',
    'sns:TagResource',
    'sns:UntagResource',
  ],
  aws_sns_topic_policy: ['sns:GetTopicAttributes', 'sns:SetTopicAttributes'],
  aws_sqs_queue: [
    'sqs:CreateQueue',
    'sqs:DeleteQueue',
    'sqs:GetQueueAttributes',
    'sqs:ListQueueTags',
    'sqs:SetQueueAttributes',
    'sqs:TagQueue',
    'sqs:UntagQueue',
  ],
  // Built into Terraform: no call is made.
  terraform_data: [],
};

/** Further actions that a deployment needs for some parts of the configuration. */
export const DEPLOY_ACTIONS_WITH = {
  vpc: ['ec2:DescribeSecurityGroups', 'ec2:DescribeSubnets', 'ec2:DescribeVpcs'],
  kmsKeyArn: ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'],
} as const;

/** The journal is the only table that a deployment deletes. */
export const JOURNAL_DEPLOY_ACTIONS = ['dynamodb:DeleteTable'] as const;

/** Terraform's actions on a state in S3: on the state object, on the lock object and on their bucket. */
export const STATE_ACTIONS = {
  object: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
  bucket: ['s3:ListBucket'],
} as const;

/** Actions without a resource: IAM knows none, or none is named in the call. Source: AWS Service Authorization Reference. */
export const ON_NO_RESOURCE: readonly string[] = [
  'cloudwatch:DescribeAlarms',
  'lambda:CreateEventSourceMapping',
  'logs:DescribeLogGroups',
  'states:ValidateStateMachineDefinition',
  'sts:GetCallerIdentity',
  ...DEPLOY_ACTIONS_WITH.vpc,
];

/** Whether an action only reads; a plan needs only such actions. */
export function onlyReads(action: string): boolean {
  return /^\w+:(Get|Describe|List|Validate)/.test(action);
}
