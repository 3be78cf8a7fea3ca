import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NoAnswerError } from '../../cli/clients.ts';
import { tablesOf } from '../../cli/command.ts';
import { command, type Found } from '../../cli/doctor.ts';
import { FAULT_IDS, type FaultId, faultOf, readItem } from '../../cli/faults.ts';
import { OF_THE_DEPLOYMENT, OF_THE_TABLE } from '../../cli/findings.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { DEPLOYMENT_ID, WATERMARKS_AT } from '../../functions/journal/layout.ts';
import { carriedSettings } from '../../functions/runtime/environment.ts';
import { alarmsOf } from '../../stacks/config/alarms.ts';
import { EVERY_MINUTE, modelOf, TICK_INPUT } from '../../stacks/config/deployments.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { awsError } from '../support/fake-client.ts';
import { ran, testListedActions } from '../support/ran.ts';

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

/** What answers a command by its class's name. */
type Answers = Readonly<Record<string, (input: never) => unknown>>;
const client = (answers: Answers) => ({
  async send(sent: { readonly constructor: { readonly name: string }; readonly input: never }) {
    return answers[sent.constructor.name]?.(sent.input);
  },
});
const missing = () => {
  throw awsError('ResourceNotFoundException');
};

const props = { ...WINDOWS, deployment: 'doctored' };
const config = configOf(props);
const [table] = tablesOf(config);
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

/** A journal whose last tick was then. */
const ticked = (secondsAgo: number) => ({
  QueryCommand: () => ({
    Items: [
      { id: DEPLOYMENT_ID, at: WATERMARKS_AT, tick: new Date((NOW - secondsAgo) * 1_000).toISOString() },
    ],
  }),
});

/** Answers of a deployment that is as it should be. */
const HEALTHY: Answers = {
  DescribeTableCommand: () => ({ Table: TABLE }),
  DescribeTimeToLiveCommand: () => ({
    TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: TTL },
  }),
  ScanCommand: () => ({ Items: [] }),
  ...ticked(60),
  GetMetricDataCommand: () => ({ MetricDataResults: [] }),
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

const SERVICES = ['dynamoDb', 'documents', 'scheduler', 'sfn', 'sns', 'sqs', 'cloudWatch', 'lambda', 'pipes'];

/** The clients of all services, which answer these commands. */
function clientsThat(answers: Answers) {
  const all = client(answers);
  return Object.fromEntries(SERVICES.map(service => [service, all]));
}

async function examined(
  answers: Answers,
  args: readonly string[] = [],
  around = config,
  signal = new AbortController().signal,
) {
  const clients = clientsThat({ ...HEALTHY, ...answers }) as never;
  const now = () => NOW * 1_000;
  const { data, ...told } = await ran(command, args, { config: around, clients, now, signal });
  const [deployment, ...tables] = (data as { examined: readonly { findings: Found[] }[] }).examined;
  const found = [deployment, ...tables].flatMap(each => each?.findings ?? []);
  return { ...told, deployment, tables, found };
}

test('of what is as it should be nothing is found', async () => {
  const { found, exit, text } = await examined({});
  expect([found, exit]).toEqual([[], 0]);
  expect(text).toBe(
    'Deployment doctored: nothing was found\n\nSessions: nothing was found; read 0 items of a sample\n\nHealthy',
  );
});

const is = (value: unknown) => () => value;
const other = (change: object) => ({ DescribeTableCommand: is({ Table: { ...TABLE, ...change } }) });
const otherIndex = (change: object) => other({ GlobalSecondaryIndexes: [{ ...INDEX, ...change }] });
const schedule = (change: object) => ({ GetScheduleCommand: is({ ...SCHEDULE, ...change }) });
const alarms = (all: readonly object[]) => ({ DescribeAlarmsCommand: is({ MetricAlarms: all }) });
const messages = (ApproximateNumberOfMessages: string) => ({
  GetQueueAttributesCommand: is({ Attributes: { ApproximateNumberOfMessages } }),
});
const nativeTtl = (AttributeName: string) => ({
  DescribeTimeToLiveCommand: is({ TimeToLiveDescription: { TimeToLiveStatus: 'ENABLING', AttributeName } }),
});
const subscribed = (SubscriptionsConfirmed: string, SubscriptionsPending: string) => ({
  GetTopicAttributesCommand: is({ Attributes: { SubscriptionsConfirmed, SubscriptionsPending } }),
});
const ARN = 'arn:aws:dynamodb:us-east-1:1:table/Sessions/stream/new';
/** Of a table with an archive. */
const piped = (pipe: object | undefined, StreamViewType: string | undefined = 'NEW_AND_OLD_IMAGES') => ({
  ...other({
    LatestStreamArn: ARN,
    ...(StreamViewType !== 'NONE' && { StreamSpecification: { StreamEnabled: true, StreamViewType } }),
  }),
  DescribePipeCommand: pipe === undefined ? missing : is({ Source: ARN, CurrentState: 'RUNNING', ...pipe }),
});

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
    { GetMetricDataCommand: is({ MetricDataResults: [{ Id: 'throttled', Values: [3, 4] }] }) },
    '7 writes',
  ],
  ['native-ttl', { DescribeTimeToLiveCommand: is({}) }, `expected ${TTL}, got off`],
  ['native-ttl-other', nativeTtl('x'), `expected ${TTL}, got x`],
  ['schedule-missing', { GetScheduleCommand: missing }, 'doctored-tick is not there'],
  ['schedule-off', schedule({ State: 'DISABLED' }), 'expected ENABLED, got DISABLED'],
  ['schedule-other', schedule({ ScheduleExpression: 'rate(5 minutes)' }), 'got rate(5 minutes)'],
  ['machine-missing', { DescribeStateMachineCommand: missing }, 'arn:machine is not there'],
  ['deployment-old', { DescribeStateMachineCommand: is({ definition: '{}' }) }, 'or none, of Sessions'],
  ['dead-letters', messages('2'), '2 dead letters'],
  ['dead-letters', { GetQueueUrlCommand: missing }, 'doctored-dead-letters is not there'],
  ['alarms-missing', alarms(ALARMS.slice(1)), ALARMS[0]?.AlarmName ?? '-'],
  [
    'alarms-silent',
    alarms(ALARMS.map(({ AlarmName }) => ({ AlarmName, AlarmActions: [] }))),
    `${ALARMS.at(-1)?.AlarmName}`,
  ],
  [
    'concurrency',
    { GetAccountSettingsCommand: is({ AccountLimit: { UnreservedConcurrentExecutions: 10 } }) },
    'the account has 10 left',
  ],
  ['stream-images', piped({}, 'NONE'), 'got none'],
  ['stream-images', piped({}, 'KEYS_ONLY'), 'got KEYS_ONLY'],
  ['pipe-missing', piped(undefined), '-archive'],
  ['pipe-on-old-stream', piped({ Source: `${ARN}-before` }), '-archive'],
  [
    'pipe-off',
    piped({ CurrentState: 'STOPPED', StateReason: 'USER_INITIATED' }),
    '-archive is STOPPED (USER_INITIATED)',
  ],
  ['pipe-off', piped({ CurrentState: 'START_FAILED' }), '-archive is START_FAILED'],
  ['journal-missing', { QueryCommand: missing }, 'doctored-journal'],
  ['no-tick', ticked(601), '10 minutes'],
  // A remark: the exit status stays.
  ['alarms-unheard', subscribed('0', '0'), 'No: nobody'],
  ['alarms-unheard', subscribed('0', '1'), 'No: 1 subscription, none confirmed'],
];
/** The deployment of the answers has no archive: with one, only the table is looked at. */
async function foundIn(answers: Answers) {
  if (!('DescribePipeCommand' in answers)) return examined(answers);
  const { tables, ...told } = await examined(answers, [], configOf({ ...props, archive: true }));
  return { ...told, found: tables[0]?.findings ?? [] };
}

test.each(WRONG)('finds %s, once, and nothing else', async (id, answers, detail) => {
  const { found, exit, text } = await foundIn(answers);
  expect(found.map(each => each.id)).toEqual([id]);
  expect([found[0]?.what, exit]).toEqual([expect.stringContaining(detail), id === 'alarms-unheard' ? 0 : 1]);
  expect(text).toContain(`${id}: ${found[0]?.what}\n    -> ${found[0]?.remedy}`);
});

test.each([
  ['pipe that runs', piped({})],
  ['topic to which somebody is subscribed', subscribed('1', '3')],
])('of a %s nothing is found', async (_what, answers) => {
  expect((await foundIn(answers)).found).toEqual([]);
});

test('the alarms of another deployment, whose name begins with this one, are not those of this one', async () => {
  const also = { AlarmName: 'doctored-too-no-sweep' };
  const DescribeAlarmsCommand = ({ AlarmNames: names }: { readonly AlarmNames?: readonly string[] }) => ({
    MetricAlarms: [...ALARMS, also].filter(({ AlarmName }) => names?.includes(AlarmName) ?? true),
  });
  expect((await examined({ DescribeAlarmsCommand })).found).toEqual([]);
});

test('a topic of the user is not asked about', async () => {
  const asked = jest.fn(() => ({ Attributes: { SubscriptionsConfirmed: '0', SubscriptionsPending: '0' } }));
  const own = configOf({ ...props, alarms: 'arn:aws:sns:us-east-1:123456789012:on-call' });
  expect((await examined({ GetTopicAttributesCommand: asked }, [], own)).exit).toBe(0);
  expect(asked).not.toHaveBeenCalled();
});

test('every question was seen to find something', () => {
  const seen = new Set(WRONG.map(([id]) => id));
  const all = [...Object.keys(OF_THE_DEPLOYMENT), ...Object.keys(OF_THE_TABLE)];
  expect(all.filter(id => !seen.has(id))).toEqual([]);
});

test('what does not answer is not known; what is not on this machine is a note', async () => {
  const refused = () => {
    throw awsError('AccessDeniedException', 'User: a is not authorized to perform: scheduler:GetSchedule');
  };
  const unknown = await examined({ GetScheduleCommand: refused });
  expect(unknown.exit).toBe(3);
  expect(unknown.found).toMatchObject([{ severity: 'not known' }]);
  expect(unknown.found[0]?.what).toMatch(
    /^Is the schedule there\? .* Not known: IAM does not allow scheduler:GetSchedule$/,
  );
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

test('--all reads every entry of the index', async () => {
  const entries = [
    [SOON, 0],
    [SOON, 5],
    [NOW - 900, 1],
  ].map(([ttl = 0, shard], id) => {
    return { id: { S: `${id}` }, [TTL]: { N: `${ttl}` }, [AT]: { S: stampOf(ttl, 1_440, shard) } };
  });
  const ScanCommand = ({
    IndexName,
    Segment,
  }: {
    readonly IndexName?: string;
    readonly Segment: number;
  }) => ({
    Items: IndexName === INDEX.IndexName && Segment === 3 ? entries : [],
  });
  const { tables, text } = await examined({ ScanCommand: ScanCommand as never }, ['--all', '--rate', '1000']);
  expect(tables[0]).toMatchObject({
    read: '0 items of a sample, 3 entries of the index',
    findings: [
      { id: 'window-shard', items: 1 },
      { id: 'expired-present', items: 1 },
    ],
  });
  expect(text).toContain('The index of Sessions has about 0 entries: at most $0.00, 0 s.');
});

test('of an index that was not read to its end there is no verdict', async () => {
  const stop = new AbortController();
  const ScanCommand = ({ IndexName }: { readonly IndexName?: string }) => {
    if (IndexName !== undefined) stop.abort(new Error('Ctrl-C'));
    return { Items: [] };
  };
  const stopped = examined({ ScanCommand: ScanCommand as never }, ['--all'], config, stop.signal);
  await expect(stopped).rejects.toThrow('Ctrl-C');
});

testListedActions({ doctor: command });
