import { EVENT_TARGETS } from '../../stacks/config/pipe-props.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { EXAMPLE_ARNS } from '../../tools/docs/role-statements.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { rolesIn, terraformJson } from '../support/synthesized.ts';

const arnOf = (id: string) => `arn:aws:kms:us-east-1:123456789012:key/${id}`;
const KEYS = { kmsKeyArn: arnOf('key'), tableKmsKeyArn: arnOf('table-key') };
const EVERYTHING: Partial<PreciseTtlProps> = { archive: true, events: { to: EXAMPLE_ARNS.queue }, ...KEYS };

const rolesWith = (props: Partial<PreciseTtlProps>) =>
  rolesIn(terraformJson(configOf({ ...SESSION_DATA, ...props })));

const HERE = '<region>:<account_id>';
const READ_KEY = 'kms:Decrypt, kms:DescribeKey';
const USE_KEY = `${READ_KEY}, kms:Encrypt, kms:ReEncrypt*, kms:GenerateDataKey*`;
const DATA_KEY = 'kms:Decrypt, kms:GenerateDataKey';
const [KEY, TABLE_KEY] = [KEYS.kmsKeyArn, KEYS.tableKmsKeyArn];
const BY_DYNAMODB = 'if {StringLike:{kms:ViaService:dynamodb.<region>.amazonaws.*}}';
const forQueue = (arn: string) =>
  `${DATA_KEY} on ${KEY} if {StringEquals:{kms:EncryptionContext:aws:sqs:arn:${arn}}}`;
const QUERY = 'dynamodb:Query on <SessionData_table arn>/index/expirationWindowIndex';
const FAILURES = '<schedules_dead-letters arn>';
const MACHINES = ['precise-ttl', 'precise-ttl-replay', 'precise-ttl-replay/*'].map(
  name => `arn:<partition>:states:${HERE}:stateMachine:${name}`,
);

/** Only for what is in this account and has a name of the deployment. */
const takenBy = (service: string, source: string) =>
  `${service}.amazonaws.com if {StringEquals:{aws:SourceAccount:<account_id>},ArnLike:{aws:SourceArn:${source}}}`;

const JOURNAL_KEY = `${USE_KEY} on ${KEY} ${BY_DYNAMODB}`;
const READ_TABLE_KEY = `${READ_KEY} on ${TABLE_KEY} ${BY_DYNAMODB}`;

const ofFunction = (name: string, ...statements: readonly string[]) => [
  'lambda.amazonaws.com',
  ...statements,
  `logs:CreateLogStream, logs:PutLogEvents on <${name === 'only-expiries' ? 'pipes_' : ''}${name}_logs arn>:*`,
  `kms:Decrypt on ${KEY} if {StringEquals:{kms:EncryptionContext:aws:lambda:FunctionArn:arn:<partition>:lambda:${HERE}:function:precise-ttl-${name}}}`,
];

const ofPipes = (...deliveries: readonly string[]) => [
  takenBy('pipes', `arn:<partition>:pipes:${HERE}:pipe/precise-ttl-*`),
  'dynamodb:DescribeStream, dynamodb:GetRecords, dynamodb:GetShardIterator on <SessionData_table stream_arn>',
  'dynamodb:ListStreams on *',
  READ_TABLE_KEY,
  'lambda:InvokeFunction on <pipes_only-expiries_function arn>',
  ...deliveries,
  forQueue(FAILURES),
];

/** test/end-to-end holds the roles of a sweep against the calls that are made; those of keys, pipes and archives only stand here. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  'precise-ttl-plan-sweep': ofFunction(
    'plan-sweep',
    ...['dynamodb:Query, dynamodb:UpdateItem on <journal_table arn>', JOURNAL_KEY, QUERY, READ_TABLE_KEY],
  ),
  'precise-ttl-query-expired': ofFunction(
    'query-expired',
    ...[QUERY, READ_TABLE_KEY, 'dynamodb:UpdateItem on <journal_table arn>', JOURNAL_KEY],
  ),
  'precise-ttl-delete-chunk': ofFunction(
    'delete-chunk',
    'dynamodb:PartiQLDelete on <SessionData_table arn>',
    `${USE_KEY} on ${TABLE_KEY}, ${KEY} ${BY_DYNAMODB}`,
    'dynamodb:Query on <journal_table arn>',
  ),
  'precise-ttl-record-metrics': ofFunction(
    'record-metrics',
    ...['dynamodb:BatchWriteItem, dynamodb:UpdateItem on <journal_table arn>', JOURNAL_KEY],
  ),
  'precise-ttl-only-expiries': ofFunction('only-expiries'),
  'precise-ttl-sweep': [
    takenBy('states', `[${MACHINES}]`),
    'lambda:InvokeFunction on <plan-sweep_function arn>, <query-expired_function arn>, <delete-chunk_function arn>, <record-metrics_function arn>',
    `states:StartExecution on ${MACHINES[1]}`,
    `states:DescribeExecution, states:StopExecution on ${['/', ':'].map(sign => `arn:<partition>:states:${HERE}:execution:precise-ttl-replay${sign}*`).join(', ')}`,
    'logs:CreateLogDelivery, logs:DeleteLogDelivery, logs:DescribeLogGroups, logs:DescribeResourcePolicies, logs:GetLogDelivery, logs:ListLogDeliveries, logs:PutResourcePolicy, logs:UpdateLogDelivery on *',
    `${DATA_KEY} on ${KEY} if {StringLike:{kms:EncryptionContext:aws:states:stateMachineArn:[${MACHINES}]}}`,
    `kms:GenerateDataKey on ${KEY} if {StringEquals:{kms:EncryptionContext:SourceArn:arn:<partition>:logs:${HERE}:*}}`,
  ],
  'precise-ttl-schedule': [
    takenBy('scheduler', `arn:<partition>:scheduler:${HERE}:schedule-group/precise-ttl`),
    'states:StartExecution on <sweep_machine arn>',
    `sqs:SendMessage on ${FAILURES}`,
    forQueue(FAILURES),
  ],
  'precise-ttl-archive': [
    takenBy('firehose', `arn:<partition>:firehose:${HERE}:deliverystream/precise-ttl-*`),
    's3:AbortMultipartUpload, s3:PutObject on arn:<partition>:s3:::<pipes_archive_bucket id>/*',
    's3:GetBucketLocation, s3:ListBucket, s3:ListBucketMultipartUploads on arn:<partition>:s3:::<pipes_archive_bucket id>',
    'logs:PutLogEvents on <pipes_archive_logs arn>',
    `${DATA_KEY} on ${KEY} if {StringLike:{kms:ViaService:s3.<region>.amazonaws.*}}`,
  ],
  'precise-ttl-pipes-archive': ofPipes(
    'firehose:PutRecordBatch on <pipes_archive_precise-ttl-SessionData arn>',
    `sqs:SendMessage on ${FAILURES}`,
  ),
  'precise-ttl-pipes-events': ofPipes(
    `sqs:SendMessage on ${EXAMPLE_ARNS.queue}, ${FAILURES}`,
    forQueue(EXAMPLE_ARNS.queue),
  ),
};

test('each role is taken by one service, and may do no more than this', () => {
  expect(rolesWith(EVERYTHING)).toEqual(ROLES);
});

/** What a role is and may do without keys of yours. */
const keyless = (role: string) =>
  (ROLES[`precise-ttl-${role}`] ?? []).filter(line => !line.startsWith('kms:'));

test('without keys of yours they may use none', () => {
  const { kmsKeyArn: _all, tableKmsKeyArn: _table, ...others } = EVERYTHING;
  const names = Object.keys(ROLES);
  expect(rolesWith(others)).toEqual(
    Object.fromEntries(names.map(name => [name, keyless(name.replace('precise-ttl-', ''))])),
  );
});

test.each<[string, Partial<PreciseTtlProps>, string, string]>([
  ['batches', { deleteMode: 'batch' }, 'delete-chunk', 'dynamodb:BatchWriteItem on <SessionData_table arn>'],
  [
    'an existing table',
    { existingTable: true },
    'query-expired',
    'dynamodb:Query on <arn>/index/expirationWindowIndex',
  ],
  ['an existing table', { existingTable: true }, 'delete-chunk', 'dynamodb:PartiQLDelete on <arn>'],
  [
    'a bucket of yours',
    { archive: { bucket: 'my-own' } },
    'archive',
    `s3:AbortMultipartUpload, s3:PutObject on ${['', 'failed/'].map(begin => `arn:<partition>:s3:::my-own/${begin}<SessionData_table name>/*`).join(', ')}`,
  ],
  [
    'one key for all',
    { tableKmsKeyArn: KEY, kmsKeyArn: KEY },
    'delete-chunk',
    `${USE_KEY} on ${KEY} ${BY_DYNAMODB}`,
  ],
])('with %s the first statement that differs is another', (_what, props, role, statement) => {
  const may = rolesWith(props)[`precise-ttl-${role}`] ?? [];
  expect(may.find(line => !keyless(role).includes(line))).toBe(statement);
  expect(may.filter(line => /PartiQLDelete|BatchWriteItem/.test(line)).length).toBeLessThan(2);
});

test('the role of pipes may deliver to its targets, each by the one action of its kind', () => {
  const tables = EVENT_TARGETS.map(kind => ({
    ...{ tableName: `to-${kind}`, partitionKey: 'id', kmsKeyArn: KEY },
    events: { to: EXAMPLE_ARNS[kind] },
  }));
  const lines = rolesIn(terraformJson(configOf(...tables)))['precise-ttl-pipes-events'] ?? [];
  const ofTargets = lines
    .filter(line => /EVENTS/.test(line))
    .map(line => line.replaceAll(/, <[^>]+>|<[^>]+>, /g, ''));
  const { bus, queue, fifoQueue, topic, stream, firehose, stateMachine } = EXAMPLE_ARNS;
  expect(ofTargets).toEqual([
    `lambda:InvokeFunction on ${EXAMPLE_ARNS.function}`,
    `events:PutEvents on ${bus}`,
    `sqs:SendMessage on ${queue}, ${fifoQueue}`,
    `sns:Publish on ${topic}`,
    `kinesis:PutRecords on ${stream}`,
    `firehose:PutRecordBatch on ${firehose}`,
    `states:StartExecution on ${stateMachine}`,
    forQueue(queue),
    forQueue(fifoQueue),
    `${DATA_KEY} on ${KEY} if {StringEquals:{kms:EncryptionContext:aws:sns:topicArn:${topic}}}`,
    `kms:GenerateDataKey on ${KEY} if {StringEquals:{kms:EncryptionContext:aws:kinesis:arn:${stream}}}`,
  ]);
});
