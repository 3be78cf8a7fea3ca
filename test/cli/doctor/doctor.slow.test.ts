/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  type StreamSpecification,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateStateMachineCommand } from '@aws-sdk/client-sfn';
import { alarmNamesOf } from '../../../config/alarms.ts';
import { deploymentOf, modelOf, tickSchedule } from '../../../config/deployments.ts';
import { replayName } from '../../../config/names.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../../config/props.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { writeWatermarks } from '../../../functions/journal/write-watermarks.ts';
import { carriedSettings } from '../../../functions/runtime/environment.ts';
import { examine } from '../../../operate/doctor/doctor.ts';
import type { DoctorOptions, DoctorReport } from '../../../operate/doctor/report.ts';
import { InputError } from '../../../operate/errors.ts';
import { replayDefinition } from '../../../statemachine/definition.ts';
import {
  ROLE_ARN,
  useStepFunctionsApi,
} from '../../../stepfunctions-emulator/test/support/step-functions-api.ts';
import { configOf } from '../../support/configs.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { useLoopbackAws } from '../../support/loopback-aws.ts';
import { shellCommand } from '../../support/shell.ts';

const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const TOMORROW = NOW + DAY;

// Windows are a minute long here. Each table is in a deployment of its own.
const table = (tableName: string, over: Partial<PreciseTtlProps> = {}): PreciseTtlProps => ({
  tableName,
  partitionKey: 'id',
  sweep: `precise-ttl-${tableName}`,
  ...over,
  ...(over.index?.by !== 'second' && { index: { granularityMinutes: 1, ...over.index } }),
});
const CLEAN = table('CleanByWindow', { index: { shards: 2 } });
const CLEAN_SECOND = table('CleanBySecond', { index: { by: 'second' } });
const FAULTY = table('FaultyByWindow', { index: { shards: 2 } });

const { endpoint, client } = useLocalDynamoDb();
const sfn = useStepFunctionsApi();
const aws = useLoopbackAws();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-doctor-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const number = (value: number | string): AttributeValue => ({ N: String(value) });
const windowOf = (ttl: number, shard = 0, seconds = 60): AttributeValue => ({
  S: windowKey(windowStart(ttl, seconds), seconds, shard),
});

const FINE: Record<string, Record<string, AttributeValue>> = {
  fine: { ttl: number(TOMORROW), expirationWindow: windowOf(TOMORROW) },
  'without a TTL': { name: { S: 'x' } },
};
const WRONG: typeof FINE = {
  ...FINE,
  'ttl-milliseconds': { ttl: number(`${TOMORROW}000`), expirationWindow: windowOf(TOMORROW) },
};

/**
 * Creates a table and fills it. A table with faulty items has no index, which is one more fault: with an index DynamoDB would
 * refuse some items. (DynamoDB Local never makes an index ACTIVE if it is added later, while a TTL is null.)
 */
async function makeTable(props: PreciseTtlProps, items: typeof FINE, hasIndex: boolean): Promise<void> {
  const { tableName } = props;
  const { indexName } = resolveProps(props);
  const { windowAttribute, ttlAttribute } = modelOf(props);
  const attributes = [
    ...(windowAttribute === undefined
      ? []
      : [{ AttributeName: windowAttribute, AttributeType: 'S' as const }]),
    { AttributeName: ttlAttribute, AttributeType: 'N' as const },
  ];
  const index = {
    IndexName: indexName,
    KeySchema: attributes.map(({ AttributeName }, at) => ({
      AttributeName,
      KeyType: at === 0 ? ('HASH' as const) : ('RANGE' as const),
    })),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  };
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }, ...(hasIndex ? attributes : [])],
      ...(hasIndex && { GlobalSecondaryIndexes: [index] }),
    }),
  );
  const requests = Object.entries(items).map(([id, item]) => ({
    PutRequest: { Item: { id: { S: id }, ...item } },
  }));
  await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
}

const functionArn = (task: string) => `arn:aws:lambda:us-east-1:123456789012:function:${task}`;
const FUNCTIONS = {
  PlanSweep: functionArn('plan-sweep'),
  QueryExpired: functionArn('query-expired'),
  DeleteChunk: functionArn('delete-chunk'),
  RecordMetrics: functionArn('record-metrics'),
};

/**
 * The state machines of a deployment; the one for replays contains the settings of its tables.
 * @returns the ARN of the one for ticks
 */
async function createMachines(deployment: string, tables: readonly PreciseTtlProps[]): Promise<string> {
  const settings = tables.map(table => ({ ...carriedSettings(functionSettings(resolveProps(table))) }));
  const replay = JSON.stringify(replayDefinition(FUNCTIONS, { tables: settings }));
  const only = JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: 'Only',
    States: { Only: { Type: 'Pass', End: true } },
  });
  const create = async (name: string, definition: string) =>
    (await sfn.send(new CreateStateMachineCommand({ name, definition, roleArn: ROLE_ARN }))).stateMachineArn;
  await create(replayName(deployment), replay);
  return (await create(deployment, only)) ?? '';
}

/** Deploys a table. */
async function deploy(props: PreciseTtlProps): Promise<void> {
  const deployment = deploymentOf([resolveProps(props)]);
  const { name } = deployment;
  const Arn = await createMachines(name, [props]);
  const schedule = tickSchedule(deployment);
  aws.answers.schedules.set(`${name}/${schedule.name}`, {
    State: 'ENABLED',
    ScheduleExpression: schedule.expression,
    Target: { Arn, Input: JSON.stringify(schedule.input) },
  });
  aws.answers.queues.set(`${name}-dead-letters`, 0);
  for (const alarm of alarmNamesOf(deployment)) {
    aws.answers.alarms.set(alarm, {
      StateValue: 'OK',
      AlarmActions: ['arn:aws:sns:us-east-1:123456789012:topic'],
    });
  }
  const journal = await createJournal(client, name);
  const at = new Date().toISOString();
  await writeWatermarks(journal, at, {});
}

const { env } = process;
const environment = () => ({
  PATH: env['PATH'] ?? '',
  HOME: folder,
  AWS_EC2_METADATA_DISABLED: 'true',
  NODE_COMPILE_CACHE: env['NODE_COMPILE_CACHE'] ?? '',
  AWS_ENDPOINT_URL: aws.endpoint,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_SFN: sfn.endpoint,
});

beforeAll(async () => {
  for (const props of [CLEAN, CLEAN_SECOND]) {
    await makeTable(props, FINE, true);
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
    await client.send(new UpdateTimeToLiveCommand({ TableName: props.tableName, TimeToLiveSpecification }));
    await deploy(props);
  }
  await makeTable(FAULTY, WRONG, false);
  await deploy(FAULTY);
});

beforeEach(() => {
  // The SDK itself reads the process's environment.
  process.env = environment();
});
afterEach(() => {
  process.env = env;
  aws.answers.denied.clear();
});

const examined = (tables: PreciseTtlProps[], over: Partial<DoctorOptions> = {}): Promise<DoctorReport> =>
  examine({ config: configOf(...tables), ...over });
const idsOf = ({ tables }: DoctorReport) => tables.flatMap(({ findings }) => findings.map(({ id }) => id));

test('what is wrong with the deployment is found', async () => {
  const { schedules, alarms } = aws.answers;
  const name = resolveProps(FAULTY).sweep;
  const before = new Map([...schedules].map(([key, schedule]) => [key, structuredClone(schedule)]));
  const tick = schedules.get(`${name}/${name}-tick`);
  if (tick) Object.assign(tick, { State: 'DISABLED', ScheduleExpression: 'rate(1 hour)' });
  const topic = ['arn:aws:sns:us-east-1:123456789012:topic'];
  alarms.set(`${name}-watermark-age`, { StateValue: 'OK', AlarmActions: topic, ActionsEnabled: false });
  alarms.delete(`${name}-deletion-lag`);
  aws.answers.unreservedConcurrency = 10;
  const report = await examined([FAULTY]);
  aws.answers.unreservedConcurrency = 1000;
  aws.answers.schedules = before;
  const found = new Map(report.tables[0]?.findings.map(finding => [finding.id, finding]));
  expect(report.verdict).toBe('broken');
  const details = Object.fromEntries(
    [...found].map(([id, { what }]) => [id, what.slice(what.indexOf(': ') + 2)]),
  );
  expect(details).toMatchObject({
    'schedule-disabled': `${name}-tick`,
    'schedule-differs': `${name}-tick: expected cron(* * * * ? *), got rate(1 hour)`,
    'alarms-silent': `${name}-watermark-age`,
    'alarms-missing': `${name}-deletion-lag`,
    'lambda-concurrency': 'the account has 10 left, one execution can use 800',
  });
});

test('a stream that was turned off and on again is not the one that is read', async () => {
  const archived = { ...CLEAN, archive: true };
  const turn = async (StreamSpecification: StreamSpecification) => {
    const { tableName: TableName } = archived;
    const { TableDescription } = await client.send(
      new UpdateTableCommand({ TableName, StreamSpecification }),
    );
    return TableDescription?.LatestStreamArn;
  };
  const on = { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' } as const;
  const Source = await turn(on);
  const pipe = `${resolveProps(archived).name}-archive`;
  aws.answers.pipes.set(pipe, { CurrentState: 'RUNNING', Source });
  const before = idsOf(await examined([archived]));
  await turn({ StreamEnabled: false });
  const off = idsOf(await examined([archived]));
  const streamArn = await turn(on);
  const report = await examined([archived]);
  await turn({ StreamEnabled: false });
  expect(before).not.toContain('pipe-on-old-stream');
  expect(off).toContain('stream-off');
  const [{ severity, what } = {}] =
    report.tables[0]?.findings.filter(({ id }) => id.startsWith('pipe-')) ?? [];
  expect(streamArn).not.toBe(Source);
  expect([report.verdict, severity]).toEqual(['broken', 'broken']);
  expect(what).toContain(`${pipe} reads ${Source}, the table's is ${streamArn}`);
});

test('what all tables of a deployment share is asked for once, and found for each', async () => {
  const both = [
    { ...CLEAN, sweep: 'shared' },
    { ...CLEAN_SECOND, sweep: 'shared' },
  ];
  await createMachines('shared', both);
  aws.answers.asked = [];
  const { tables } = await examined(both);
  expect(aws.answers.asked.filter(action => action === 'lambda:GetAccountSettings')).toHaveLength(1);
  const found = tables.map(({ findings }) => findings.map(({ id }) => id));
  expect(found).toEqual([0, 1].map(() => expect.arrayContaining(['schedule-missing', 'journal-missing'])));
});

test.each([
  ['scheduler:GetSchedule', `the schedule precise-ttl-${CLEAN.tableName}-tick`],
  ['sqs:GetQueueUrl', 'the dead-letter queue'],
  ['sqs:GetQueueAttributes', 'the dead-letter queue'],
  ['cloudwatch:DescribeAlarms', 'the alarms'],
  ['cloudwatch:GetMetricData', 'how much is written to the index'],
  ['lambda:GetAccountSettings', 'the concurrency of Lambda'],
])('without %s there is a warning that names it', async (action, what) => {
  aws.answers.denied.add(action);
  const report = await examined([CLEAN]);
  expect(report.verdict).toBe('warnings');
  const [finding, ...others] = report.tables[0]?.findings ?? [];
  expect([finding?.id, others]).toEqual(['not-checked', []]);
  expect(finding?.what).toContain(`: ${what}`);
  expect(finding?.what).toContain(`(${action} is not allowed)`);
  expect(finding?.remedy).toContain(`Allow the action ${action} on the resource`);
});

test('a table that the configuration does not have is refused before anything is asked', async () => {
  const connect = () => {
    throw new Error('connected');
  };
  await expect(examine({ config: configOf(CLEAN), table: 'Other' }, connect)).rejects.toThrow(InputError);
});

test('a full scan that is interrupted gives no report', async () => {
  const controller = new AbortController();
  const onScan = () => controller.abort();
  await expect(examined([FAULTY], { full: true, signal: controller.signal, onScan })).rejects.toThrow(
    'This operation was aborted',
  );
});

describe('the command', () => {
  const doctor = (args: readonly string[], over: Record<string, string> = {}) =>
    shellCommand('doctor')(args, { ...environment(), ...over });
  const configFile = (name: string, ...tables: PreciseTtlProps[]) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(configOf(...tables)));
    return path;
  };

  test('ends with 0 and says what it looked at when nothing is wrong', async () => {
    const { status, stdout, stderr } = await doctor(['--config', configFile('clean', CLEAN), '--all']);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^CleanByWindow\/expirationWindowIndex: reading about \d+ items, /);
    expect(stdout).toMatch(/^ {2}index +all 1 entries read$/m);
    expect(stdout).toContain('Table CleanByWindow on this machine');
    expect(stdout).toContain('Nothing is wrong.');
  });

  test('ends with 2 when something is broken; text and JSON say the same, and no key with --mask', async () => {
    const json = join(folder, 'report.json');
    const config = configFile('both', CLEAN, FAULTY);
    const flags = ['--config', config, '--table', 'FaultyByWindow', '--full', '--mask', '--json', json];
    const { status, stdout, stderr } = await doctor(flags);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^FaultyByWindow: reading about \d+ items, /);
    const report: DoctorReport = JSON.parse(readFileSync(json, 'utf8'));
    expect(report.tables.map(({ tableName }) => tableName)).toEqual(['FaultyByWindow']);
    for (const { id, what, meaning, remedy, samples } of report.tables[0]?.findings ?? []) {
      for (const text of [id, what, meaning, remedy, ...samples]) expect(stdout).toContain(text);
    }
    expect(stdout).toMatch(/^ {2}BROKEN ttl-milliseconds \(1\)$/m);
    expect(`${stdout}${JSON.stringify(report)}`).not.toContain('{"S":');
  });

  test.each<[string, string[], Record<string, string>, string]>([
    ['a wrong flag', ['--rate', '0'], {}, '--rate: expected a number from 1'],
    [
      'a wrong configuration',
      ['--config', '/no/such/file.json'],
      {},
      'expected the configuration, got no such file',
    ],
    [
      'no credentials',
      [],
      { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
      'AWS credentials: expected some for the account that is deployed to',
    ],
  ])('ends with 3, which is no verdict, for %s', async (_what, args, over, message) => {
    const { status, stdout, stderr } = await doctor(args, over);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(message);
  });
});
