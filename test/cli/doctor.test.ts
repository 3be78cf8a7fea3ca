/** @jest-environment ./test/support/dynamodb-environment.ts */
import { type AttributeValue, CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NoAnswerError } from '../../cli/clients.ts';
import { tablesOf } from '../../cli/command.ts';
import { command, type Found } from '../../cli/doctor.ts';
import { FAULT_IDS, type FaultId, faultOf, readItem } from '../../cli/faults.ts';
import { OF_THE_DEPLOYMENT, OF_THE_TABLE } from '../../cli/findings.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { carriedSettings } from '../../functions/runtime/environment.ts';
import { alarmsOf } from '../../stacks/config/alarms.ts';
import { EVERY_MINUTE, modelOf, TICK_INPUT } from '../../stacks/config/deployments.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { createJournal } from '../support/journal-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { ran } from '../support/ran.ts';

const NOW = Math.floor(Date.parse('2026-11-20T12:00:00.000Z') / 1_000);
const WINDOWS: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', index: { shards: 2 } };
const SECONDS: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', index: { by: 'second' } };
const stampOf = (ttl: number, minutes = 1_440, shard = 0) =>
  windowKey(windowStart(ttl, minutes * 60), minutes * 60, shard);
const SOON = NOW + 3_600;
const TOMORROW = windowStart(NOW, 86_400) + 86_400;
const AT = resolveProps(WINDOWS).windowAttribute as string;
const TTL = resolveProps(WINDOWS).ttlAttribute;

/** An item with each fault, or without one. */
const ITEMS: readonly (readonly [
  FaultId | undefined,
  PreciseTtlProps,
  Record<string, AttributeValue>,
  string?,
])[] = [
  [undefined, WINDOWS, { [TTL]: { N: `${SOON}` }, [AT]: { S: stampOf(SOON) } }],
  [undefined, WINDOWS, { [TTL]: { N: `${SOON}.5` }, [AT]: { S: stampOf(SOON) } }],
  [undefined, WINDOWS, { [TTL]: { N: `${TOMORROW}` }, [AT]: { S: stampOf(TOMORROW - 1) } }],
  [undefined, WINDOWS, {}],
  [undefined, SECONDS, { [TTL]: { N: `${SOON}` } }],
  [undefined, SECONDS, { [TTL]: { N: `${SOON}.000` } }],
  ['ttl-string', WINDOWS, { [TTL]: { S: `${SOON}` } }],
  ['ttl-no-number', WINDOWS, { [TTL]: { BOOL: true } }],
  ['ttl-milliseconds', WINDOWS, { [TTL]: { N: `${SOON}000` } }],
  ['ttl-negative', SECONDS, { [TTL]: { N: '-1' } }],
  ['ttl-too-old', SECONDS, { [TTL]: { N: '0' } }],
  ['ttl-too-far-ahead', SECONDS, { [TTL]: { N: `${NOW + 21 * 365 * 86_400}` } }],
  ['ttl-fraction', SECONDS, { [TTL]: { N: `${SOON}.5` } }],
  ['ttl-elsewhere', WINDOWS, { expiresAt: { N: `${SOON}` } }, 'expiresAt'],
  ['window-without-ttl', WINDOWS, { [AT]: { S: stampOf(SOON) } }],
  ['window-missing', WINDOWS, { [TTL]: { N: `${SOON}` } }],
  ['window-malformed', WINDOWS, { [TTL]: { N: `${SOON}` }, [AT]: { S: 'today' } }],
  ['window-malformed', WINDOWS, { [TTL]: { N: `${SOON}` }, [AT]: { N: '1' } }],
  ['window-length', WINDOWS, { [TTL]: { N: `${SOON}` }, [AT]: { S: stampOf(SOON, 60) } }, '60 minutes'],
  ['window-shard', WINDOWS, { [TTL]: { N: `${SOON}` }, [AT]: { S: stampOf(SOON, 1_440, 2) } }, 'shard 2'],
  ['window-other', WINDOWS, { [TTL]: { N: `${SOON}` }, [AT]: { S: stampOf(SOON - 86_400) } }],
  ['expired-present', SECONDS, { [TTL]: { N: `${NOW - 600}` } }],
  [undefined, SECONDS, { [TTL]: { N: `${NOW - 599}` } }],
];

test.each(ITEMS.map(([id, props, item, detail]) => ({ id, props, item, detail })))(
  'an item has the fault $id: $item',
  ({ id, props, item, detail }) => {
    const model = modelOf(props);
    expect(faultOf(readItem(item, model, NOW), model)).toEqual(id && { id, detail });
  },
);

test('each fault has an item above', () => {
  expect(FAULT_IDS.filter(id => !ITEMS.some(([each]) => each === id))).toEqual([]);
});

const dynamo = useLocalDynamoDb();
const documents = DynamoDBDocumentClient.from(dynamo.client, { unmarshallOptions: { wrapNumbers: true } });

/** What answers a command by its class's name. */
type Answers = Readonly<Record<string, (input: never) => unknown>>;
const client = (answers: Answers) => ({
  async send(sent: { readonly constructor: { readonly name: string }; readonly input: never }) {
    return answers[sent.constructor.name]?.(sent.input);
  },
});
const missing = () => {
  throw Object.assign(new Error('none'), { name: 'ResourceNotFoundException', $metadata: {} });
};

const props = { ...WINDOWS, sweep: 'doctored' };
const config = configOf(props);
const [table] = tablesOf(config, undefined);
if (table === undefined) throw new TypeError('one table');
const definition = JSON.stringify({
  States: {
    PlanSweep: {
      Arguments: { Payload: { tables: [carriedSettings(functionSettings(table.props))] } },
    },
  },
});
const KEYS = { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] };
const INDEX = {
  IndexName: table.props.indexName,
  IndexStatus: 'ACTIVE',
  KeySchema: [
    { AttributeName: AT, KeyType: 'HASH' },
    { AttributeName: TTL, KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'KEYS_ONLY' },
};
const ATTRIBUTES = [
  { AttributeName: AT, AttributeType: 'S' },
  { AttributeName: TTL, AttributeType: 'N' },
];
const TABLE = {
  ...KEYS,
  TableName: 'Sessions',
  AttributeDefinitions: ATTRIBUTES,
  GlobalSecondaryIndexes: [INDEX],
};
const SCHEDULE = {
  State: 'ENABLED',
  ScheduleExpression: EVERY_MINUTE,
  Target: { Arn: 'arn:machine', Input: JSON.stringify(TICK_INPUT) },
};
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:doctored-alarms';
const ALARMS = alarmsOf(table.deployment).map(({ name: AlarmName }) => ({
  AlarmName,
  AlarmActions: [TOPIC],
}));

/** Answers of a deployment that is as it should be. */
const HEALTHY: Answers = {
  DescribeTableCommand: () => ({ Table: TABLE }),
  DescribeTimeToLiveCommand: () => ({
    TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: TTL },
  }),
  ScanCommand: () => ({ Items: [] }),
  GetMetricDataCommand: () => ({ MetricDataResults: [{ Values: [] }] }),
  DescribeAlarmsCommand: () => ({ MetricAlarms: ALARMS }),
  GetScheduleCommand: () => SCHEDULE,
  GetTopicAttributesCommand: () => ({
    Attributes: { SubscriptionsConfirmed: '1', SubscriptionsPending: '0' },
  }),
  DescribeStateMachineCommand: () => ({ definition }),
  GetQueueUrlCommand: () => ({ QueueUrl: 'https://queue' }),
  GetQueueAttributesCommand: () => ({ Attributes: { ApproximateNumberOfMessages: '0' } }),
  GetAccountSettingsCommand: () => ({ AccountLimit: { UnreservedConcurrentExecutions: 100_000 } }),
};

const SERVICES = ['dynamoDb', 'scheduler', 'sfn', 'sns', 'sqs', 'cloudWatch', 'lambda', 'pipes'];

/** The clients of all services, which answer these commands. */
function clientsThat(answers: Answers) {
  const all = client(answers);
  return Object.fromEntries(SERVICES.map(service => [service, all]));
}

async function examined(answers: Answers, args: readonly string[] = [], around = config) {
  const clients = { ...clientsThat({ ...HEALTHY, ...answers }), documents } as never;
  const now = () => NOW * 1_000;
  const { data, ...told } = await ran(command, args, { config: around, clients, now });
  const [deployment, ...tables] = (data as { examined: readonly { findings: Found[] }[] }).examined;
  const found = [deployment, ...tables].flatMap(each => each?.findings ?? []);
  return { ...told, deployment, tables, found };
}

beforeAll(async () => {
  const journal = await createJournal(dynamo.client, 'doctored');
  await writeWatermarks(journal, new Date((NOW - 60) * 1_000).toISOString(), {});
});

test('of what is as it should be nothing is found', async () => {
  const { found, exit, text } = await examined({});
  expect([found, exit]).toEqual([[], 0]);
  expect(text).toBe(
    'Deployment doctored: nothing was found\n\nSessions: nothing was found; read 0 items of a sample\n\nHealthy',
  );
});

const other = (change: object) => ({ DescribeTableCommand: () => ({ Table: { ...TABLE, ...change } }) });
const otherIndex = (change: object) => other({ GlobalSecondaryIndexes: [{ ...INDEX, ...change }] });

/** What is wrong, and what is found then. */
const WRONG: readonly (readonly [id: string, answers: Answers, detail: string])[] = [
  ['table-missing', { DescribeTableCommand: missing }, 'Sessions is not in us-east-1'],
  ['table-keys', other({ KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }), 'expected id, got pk'],
  ['index-missing', other({ GlobalSecondaryIndexes: [] }), `expected ${INDEX.IndexName}, got none`],
  ['index-keys', otherIndex({ KeySchema: INDEX.KeySchema.slice(0, 1) }), `got ${AT} S HASH`],
  [
    'index-keys',
    other({ AttributeDefinitions: ATTRIBUTES.map(each => ({ ...each, AttributeType: 'S' })) }),
    `got ${AT} S HASH, ${TTL} S RANGE`,
  ],
  ['index-building', otherIndex({ IndexStatus: 'CREATING' }), 'it is CREATING'],
  ['index-wide', otherIndex({ Projection: { ProjectionType: 'ALL' } }), 'expected KEYS_ONLY, got ALL'],
  [
    'index-throttled',
    { GetMetricDataCommand: () => ({ MetricDataResults: [{ Values: [3, 4] }] }) },
    '7 writes',
  ],
  ['native-ttl', { DescribeTimeToLiveCommand: () => ({}) }, `expected ${TTL}, got off`],
  [
    'native-ttl-other',
    {
      DescribeTimeToLiveCommand: () => ({
        TimeToLiveDescription: { TimeToLiveStatus: 'ENABLING', AttributeName: 'x' },
      }),
    },
    `expected ${TTL}, got x`,
  ],
  ['schedule-missing', { GetScheduleCommand: missing }, 'doctored-tick is not there'],
  [
    'schedule-off',
    { GetScheduleCommand: () => ({ ...SCHEDULE, State: 'DISABLED' }) },
    'expected ENABLED, got DISABLED',
  ],
  [
    'schedule-other',
    { GetScheduleCommand: () => ({ ...SCHEDULE, ScheduleExpression: 'rate(5 minutes)' }) },
    'got rate(5 minutes)',
  ],
  ['machine-missing', { DescribeStateMachineCommand: missing }, 'arn:machine is not there'],
  [
    'deployment-old',
    { DescribeStateMachineCommand: () => ({ definition: '{}' }) },
    'other settings, or none, of Sessions',
  ],
  [
    'dead-letters',
    { GetQueueAttributesCommand: () => ({ Attributes: { ApproximateNumberOfMessages: '2' } }) },
    '2 dead letters',
  ],
  ['dead-letters', { GetQueueUrlCommand: missing }, 'doctored-dead-letters is not there'],
  [
    'alarms-missing',
    { DescribeAlarmsCommand: () => ({ MetricAlarms: ALARMS.slice(1) }) },
    ALARMS[0]?.AlarmName ?? '-',
  ],
  [
    'alarms-silent',
    { DescribeAlarmsCommand: () => ({ MetricAlarms: ALARMS.map(({ AlarmName }) => ({ AlarmName })) }) },
    ALARMS.map(({ AlarmName }) => AlarmName).join(', '),
  ],
  [
    'concurrency',
    { GetAccountSettingsCommand: () => ({ AccountLimit: { UnreservedConcurrentExecutions: 10 } }) },
    'the account has 10 left',
  ],
];

test.each(WRONG)('finds %s, once, and nothing else', async (id, answers, detail) => {
  const { found, exit, text } = await examined(answers);
  expect(found.map(each => each.id)).toEqual([id]);
  expect([found[0]?.what, exit]).toEqual([expect.stringContaining(detail), 1]);
  expect(text).toContain(`${id}: ${found[0]?.what}\n    -> ${found[0]?.remedy}`);
});

const ARN = 'arn:aws:dynamodb:us-east-1:1:table/Sessions/stream/new';
const PIPE = { Source: ARN, CurrentState: 'RUNNING' };
const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };

test.each<[string, object, object | undefined, string]>([
  ['stream-images', { LatestStreamArn: ARN }, PIPE, 'got none'],
  [
    'stream-images',
    { LatestStreamArn: ARN, StreamSpecification: { ...STREAM, StreamViewType: 'KEYS_ONLY' } },
    PIPE,
    'got KEYS_ONLY',
  ],
  ['pipe-missing', { LatestStreamArn: ARN, StreamSpecification: STREAM }, undefined, '-archive'],
  [
    'pipe-on-old-stream',
    { LatestStreamArn: ARN, StreamSpecification: STREAM },
    { ...PIPE, Source: `${ARN}-before` },
    '-archive',
  ],
  [
    'pipe-off',
    { LatestStreamArn: ARN, StreamSpecification: STREAM },
    { ...PIPE, CurrentState: 'STOPPED', StateReason: 'USER_INITIATED' },
    '-archive is STOPPED (USER_INITIATED)',
  ],
])('finds %s of a table with an archive', async (id, change, pipe, detail) => {
  const piped = configOf({ ...props, archive: true });
  const { tables } = await examined(
    { ...other(change), DescribePipeCommand: () => pipe ?? missing() },
    [],
    piped,
  );
  expect(tables[0]?.findings.map(found => [found.id, found.what])).toEqual([
    [id, expect.stringContaining(detail)],
  ]);
});

test('of a pipe that runs nothing is found', async () => {
  const answers = {
    ...other({ LatestStreamArn: ARN, StreamSpecification: STREAM }),
    DescribePipeCommand: () => PIPE,
  };
  const { tables } = await examined(answers, [], configOf({ ...props, archive: true }));
  expect(tables[0]?.findings).toEqual([]);
});

test('a deployment without a journal, and one whose ticks have ended', async () => {
  const nowhere = configOf({ ...props, sweep: 'nowhere' });
  const of = async (around: typeof config) =>
    (await examined({}, [], around)).deployment?.findings.map(({ id }) => id);
  expect(await of(nowhere)).toContain('journal-missing');
  const journal = await createJournal(dynamo.client, 'stopped');
  await writeWatermarks(journal, new Date((NOW - 601) * 1_000).toISOString(), {});
  expect(await of(configOf({ ...props, sweep: 'stopped' }))).toContain('no-tick');
});

test.each<[string, object, readonly string[]]>([
  ['nobody', { SubscriptionsConfirmed: '0', SubscriptionsPending: '0' }, ['No: nobody']],
  [
    'one that is not confirmed',
    { SubscriptionsConfirmed: '0', SubscriptionsPending: '1' },
    ['No: 1 subscription, none confirmed'],
  ],
  ['somebody', { SubscriptionsConfirmed: '1', SubscriptionsPending: '3' }, []],
])('of a topic to which %s is subscribed', async (_who, Attributes, details) => {
  const { found, exit } = await examined({ GetTopicAttributesCommand: () => ({ Attributes }) });
  // A remark: the exit status stays.
  expect([found.map(({ id, severity }) => [id, severity]), exit]).toEqual([
    details.map(() => ['alarms-unheard', 'note']),
    0,
  ]);
  expect(found.map(({ what }) => what)).toEqual(details.map(detail => expect.stringContaining(detail)));
  for (const { remedy } of found)
    expect(remedy).toBe(
      `aws sns subscribe --topic-arn ${TOPIC} --protocol email --notification-endpoint ADDRESS --region us-east-1`,
    );
});

test('the alarms of another deployment, whose name begins with this one, are not those of this one', async () => {
  const other = { AlarmName: 'doctored-too-no-sweep', StateValue: 'ALARM' };
  const asked = ({ AlarmNames: names }: { AlarmNames?: string[] }) => ({
    MetricAlarms: [...ALARMS, other].filter(({ AlarmName }) => names?.includes(AlarmName) ?? true),
  });
  const { found } = await examined({ DescribeAlarmsCommand: asked });
  expect(found).toEqual([]);
});

test('a topic of the user is not asked about', async () => {
  const asked = jest.fn(() => ({ Attributes: { SubscriptionsConfirmed: '0', SubscriptionsPending: '0' } }));
  const alarms = 'arn:aws:sns:us-east-1:123456789012:on-call';
  expect(
    (await examined({ GetTopicAttributesCommand: asked }, [], configOf({ ...props, alarms }))).exit,
  ).toBe(0);
  expect(asked).not.toHaveBeenCalled();
});

const PIPED = ['stream-images', 'pipe-missing', 'pipe-on-old-stream', 'pipe-off'];

test('every question was seen to find something', () => {
  const seen = new Set([
    ...WRONG.map(([id]) => id),
    ...PIPED,
    'journal-missing',
    'no-tick',
    'alarms-unheard',
  ]);
  const all = [...Object.keys(OF_THE_DEPLOYMENT), ...Object.keys(OF_THE_TABLE)];
  expect(all.filter(id => !seen.has(id))).toEqual([]);
});

test('what a deployment has is told once, however many tables it has', async () => {
  const two = configOf(props, { ...props, tableName: 'Tokens' });
  const { deployment, tables, found } = await examined({ GetScheduleCommand: missing }, [], two);
  expect(tables).toHaveLength(2);
  expect(deployment?.findings.filter(({ id }) => id === 'schedule-missing')).toHaveLength(1);
  expect(found.filter(({ id }) => id === 'schedule-missing')).toHaveLength(1);
});

test('what does not answer is not known; what is not on this machine is a note', async () => {
  const refused = () => {
    throw Object.assign(new Error('User: a is not authorized to perform: scheduler:GetSchedule'), {
      name: 'AccessDeniedException',
    });
  };
  const unknown = await examined({ GetScheduleCommand: refused });
  expect(unknown.exit).toBe(3);
  expect(unknown.found.map(({ severity, what }) => [severity, what])).toEqual([
    [
      'not known',
      expect.stringMatching(
        /^Is the schedule there\? .* Not known: IAM does not allow scheduler:GetSchedule$/,
      ),
    ],
  ]);
  const away = () => {
    throw new NoAnswerError('SQS is not on this machine');
  };
  const local = await examined({ GetQueueUrlCommand: away });
  expect([local.exit, local.found.map(({ severity }) => severity)]).toEqual([0, ['note']]);
});

test('counts the faults of items, with keys as logKeys allows it, and the command that mends them', async () => {
  const keyed = (index: number) => ({ id: { S: `k${index}` }, [TTL]: { N: `${NOW - 700 - index}` } });
  const Items = Array.from({ length: 5 }, (_unused, index) => keyed(index));
  const stamped = Items.map(item => ({ ...item, [AT]: { S: stampOf(Number(item[TTL]?.N)) } }));
  const scan = ({ Segment }: { readonly Segment: number }) => ({
    Items: Segment === 0 ? Items : Segment === 1 ? stamped : [],
  });
  const { tables, text } = await examined(
    { ScanCommand: scan as never },
    [],
    configOf({ ...props, logKeys: 'full' }),
  );
  expect(tables[0]?.findings).toEqual([
    {
      ...{ id: 'window-missing', severity: 'broken', items: 5 },
      what: '5 items of 10 items of a sample: a TTL and no window: the index does not have it',
      keys: ['{"id":{"S":"k0"}}', '{"id":{"S":"k1"}}', '{"id":{"S":"k2"}}'],
      remedy: 'npx precise-ttl backfill --table Sessions',
    },
    expect.objectContaining({
      id: 'expired-present',
      remedy: 'npx precise-ttl replay --table Sessions --from 2026-11-20T11:48:00Z --to 2026-11-20T11:49:00Z',
    }),
  ]);
  expect(text).toContain('    such as {"id":{"S":"k0"}}');
  const hidden = await examined({ ScanCommand: scan as never }, [], configOf({ ...props, logKeys: 'none' }));
  expect(hidden.tables[0]?.findings[0]?.keys).toEqual([]);
});

test('--all reads every entry of the index of a real table', async () => {
  const tableName = 'Whole';
  await dynamo.client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }, ...ATTRIBUTES] as never,
      GlobalSecondaryIndexes: [
        { IndexName: INDEX.IndexName, KeySchema: INDEX.KeySchema, Projection: INDEX.Projection },
      ] as never,
    }),
  );
  for (const [id, ttl, shard] of [
    ['a', SOON, 0],
    ['b', SOON, 5],
    ['c', NOW - 900, 1],
  ] as const)
    await dynamo.client.send(
      new PutItemCommand({
        TableName: tableName,
        Item: { id: { S: id }, [TTL]: { N: `${ttl}` }, [AT]: { S: stampOf(ttl, 1_440, shard) } },
      }),
    );
  const around = {
    config: configOf({ ...props, tableName }),
    clients: { ...clientsThat(HEALTHY), dynamoDb: dynamo.client, documents } as never,
    now: () => NOW * 1_000,
  };
  const { data } = await ran(command, ['--all', '--rate', '1000'], around);
  const [, examinedTable] = (data as { examined: { read: string; findings: Found[] }[] }).examined;
  expect(examinedTable?.read).toBe('3 items of a sample, 3 entries of the index');
  expect(
    examinedTable?.findings
      .filter(({ what }) => what.includes('entries'))
      .map(({ id, items }) => [id, items]),
  ).toEqual([
    ['window-shard', 1],
    ['expired-present', 1],
  ]);
});
