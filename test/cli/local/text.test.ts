import type { AlarmResource } from 'aws-on-loopback/cloudwatch/alarm';
import { Engine, type Execution, loadDefinition, VirtualClock } from 'stepfunctions-emulator';
import type { Seeded } from '../../../cli/local/seed.ts';
import { describeExpiry, describePipeTrouble } from '../../../cli/local/sweep-text.ts';
import { describeAlarm, describeExecution, describeLine, describeStart } from '../../../cli/local/text.ts';
import type { PipeResource } from '../../../local/pipes/pipes.ts';
import type { ServedCloud } from '../../../local/serve.ts';
import { EXECUTION_COUNTS, noCounts } from '../../../statemachine/counts.ts';

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep-B';

afterEach(() => jest.restoreAllMocks());

/** A cloud with two tables in one deployment. */
const served = {
  dynamoDbEndpoint: 'http://127.0.0.1:8000',
  endpoint: 'http://127.0.0.1:8083',
  schedulerEndpoint: 'http://127.0.0.1:8085',
  cloudWatchEndpoint: 'http://127.0.0.1:8084',
  region: 'us-east-1',
  cloud: {
    synthesized: {
      tables: [{ name: 'A' }, { name: 'B' }],
      existingTables: [],
      stateMachines: [
        { name: 'sweep-B', arn: ARN },
        { name: 'sweep-B-replay', arn: `${ARN}-replay` },
      ],
      schedules: [{ targetArn: ARN }],
      alarms: [{}, {}],
      pipes: [],
    },
    dynamoDb: { endpoint: 'http://127.0.0.1:1', startedHere: false },
    schedules: [{}, {}],
    upcoming: () => [{ schedule: { name: 'tick-B' }, at: at('09:01:00') }],
  },
} as unknown as ServedCloud;
const first = { tableName: 'B', sweep: 'sweep-B' };
const idle = { ...served, cloud: { ...served.cloud, upcoming: () => [] } } as unknown as ServedCloud;

const seeded: Seeded = {
  tableName: 'B',
  expired: { count: 5, from: at('07:00:00'), to: at('08:00:00') },
  soon: { count: 3, from: at('09:02:00'), to: at('09:03:00') },
  staying: { count: 2, from: 0, to: 0 },
};

test.each([
  ['fire', served, true, 'tick-B (next 09:01:00Z)'],
  ['do not, by the flag', served, false, 'none fires (--no-schedules)'],
  ['do not, by the configuration', idle, true, 'none is enabled'],
])('the start says whether schedules fire: they %s', (_name, cloud, schedules, expected) => {
  expect(describeStart(cloud, { first, schedules })).toContain(`\n  schedules       ${expected}\n`);
});

test('the start says where CloudWatch is and how many alarms it has, and an alarm is one line', () => {
  const text = describeStart(served, { first, schedules: true });
  expect(text).toContain('\n  CloudWatch      http://127.0.0.1:8084: metrics, 2 alarms\n');
  expect(text).toContain('\nexport AWS_ENDPOINT_URL_CLOUDWATCH=http://127.0.0.1:8084\n');
  const alarm = { name: 'sweep-B-no-sweep' } as AlarmResource;
  expect(describeAlarm({ alarm, state: 'ALARM', reason: 'Threshold crossed.', since: at('09:05:00') })).toBe(
    '09:05:00Z  sweep-B-no-sweep  ALARM: Threshold crossed.',
  );
});

const PIPE = {
  address: 'aws_pipes_pipe.A-events',
  tableName: 'A',
  targetArn: 'arn:aws:events:us-east-1:123456789012:event-bus/orders',
} as PipeResource;

test('the start says where pipes lead', () => {
  const synthesized = { ...served.cloud.synthesized, pipes: [PIPE] };
  const cloud = { ...served.cloud, synthesized };
  const text = describeStart({ ...served, cloud } as unknown as ServedCloud, { first, schedules: true });
  expect(text).toContain(
    '\n  pipe            A to event-bus/orders: its expiries are shown here, none is sent\n',
  );
});

test('an expiry, and what is wrong with a pipe, are a line each', () => {
  jest.spyOn(Date, 'now').mockReturnValue(at('09:03:25.500'));
  const event = { id: '1', table: 'A', key: {}, group: 'x', expiredAt: null, deletedAt: 'now' };
  expect(describeExpiry({ pipe: PIPE, event })).toBe(
    `09:03:25Z  expiry  event-bus/orders  ${JSON.stringify(event)}`,
  );
  expect(describePipeTrouble(new Error('no connection'), PIPE)).toBe(
    '09:03:25Z  aws_pipes_pipe.A-events  Error: no connection; it is tried again',
  );
});

test('the start says what was seeded, and the example replays what has expired of it', () => {
  const text = describeStart(served, { first, schedules: true, seeded });
  expect(text).toContain(
    [
      '  sessions        10 written into B:',
      '                  5 expired 2026-11-21 07:00 to 08:00 UTC, longer ago than the sweeps look back: replay them, see below',
      '                  3 expire 2026-11-21 09:02 to 09:03 UTC, and go with the next ticks',
      '                  2 stay until tomorrow',
    ].join('\n'),
  );
  expect(text).toContain(
    `--state-machine-arn ${ARN}-replay --input '{"table":"B","from":"2026-11-21T07:00:00.000Z","to":"2026-11-21T08:00:00.000Z"}'`,
  );
});

async function execute(state: object, input: object = {}, name = 'sweep-B'): Promise<Execution> {
  const clock = new VirtualClock(at('09:00:00'));
  const engine = new Engine({ clock, invoker: { invoke: () => Promise.reject(new Error('none')) } });
  const definition = loadDefinition(
    JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'A', States: { A: state } }),
  );
  const machine = { arn: ARN, name, roleArn: 'r', type: 'STANDARD', definition } as const;
  return engine.start(machine, { input, name: 'one' }).done;
}

test.each([
  ['a replay that found nothing', { tables: { B: { found: 0, shardsFailed: 0, deleted: 0 } } }, 1],
  ['a tick without anything to do', { tables: {} }, 1],
  ['a tick whose children found nothing', { tables: { B: { found: 0, shardsFailed: 0 } } }, 1],
  ['what is no sweep', { a: 1 }, 2],
])('%s takes so many lines', async (_name, Output, lines) => {
  const text = describeExecution(await execute({ Type: 'Pass', Output, End: true }));
  expect(text.split('\n')).toHaveLength(lines);
  expect(text).toContain(
    lines === 1
      ? '09:00:00Z  sweep-B:one  SUCCEEDED in 0.00 s: nothing to delete, $0.0000250'
      : `09:00:00Z  sweep-B:one  SUCCEEDED in 0.00 s: ${JSON.stringify(Output)}\n           1 transition: $`,
  );
});

const found = (items: number) => ({
  ...noCounts(EXECUTION_COUNTS),
  ...{ found: items, deleted: items, lagMs: { p50: 60, p99: 90, max: 90 } },
});

test.each<[string, object, object, string[]]>([
  [
    'a tick that found something in one table',
    {},
    { tables: { A: found(0), B: found(3) } },
    ['SUCCEEDED in 0.00 s: B: found 3, deleted 3, lag p50 0.06 s, p99 0.09 s'],
  ],
  [
    'a tick that found something in several tables',
    {},
    { tables: { A: found(1), idle: found(0), 'B-of-a-long-name': found(3) } },
    [
      'SUCCEEDED in 0.00 s',
      '           A                 found 1, deleted 1, lag p50 0.06 s, p99 0.09 s',
      '           B-of-a-long-name  found 3, deleted 3, lag p50 0.06 s, p99 0.09 s',
    ],
  ],
  [
    'a replay of a table',
    { table: 'B', from: 'x', to: 'y' },
    { tables: { B: found(1) } },
    ['SUCCEEDED in 0.00 s: B: found 1, deleted 1, lag p50 0.06 s, p99 0.09 s'],
  ],
  [
    'a dry run',
    { from: 'x', to: 'y', dryRun: true },
    { tables: { B: { ...noCounts(EXECUTION_COUNTS), dryRun: true, found: 2, lagMs: null } } },
    ['SUCCEEDED in 0.00 s: B: found 2 (dry run)'],
  ],
  [
    'a child that failed',
    { table: 'B', from: 'x', to: 'y' },
    { tables: { B: { ...noCounts(EXECUTION_COUNTS), shardsFailed: 1 } } },
    [
      'SUCCEEDED in 0.00 s',
      '           B            shards failed 1',
      '                        1 of its children did not get through',
    ],
  ],
  [
    'a tick in which the table was paused',
    {},
    { tables: { B: { ...noCounts(EXECUTION_COUNTS), leftForLater: 1 } } },
    ['SUCCEEDED in 0.00 s: B: left for later 1'],
  ],
])('%s: the table is named', async (_name, input, Output, lines) => {
  const text = describeExecution(await execute({ Type: 'Pass', Output, End: true }, input));
  const [first, ...more] = lines;
  expect(text.split('\n').slice(0, -1)).toEqual([`09:00:00Z  sweep-B:one  ${first}`, ...more]);
});

test.each<[string, string, string, object, object]>([
  [
    'a tick',
    'tick    1,003 deleted  p99 0.1 s  A, B',
    'sweep-B',
    {},
    { tables: { A: found(1000), idle: found(0), B: found(3) } },
  ],
  ['one with nothing to do', 'tick    nothing to delete', 'sweep-B', {}, { tables: { A: found(0) } }],
  [
    'a replay',
    'replay  1 deleted  2 renewed  p99 0.1 s  B',
    'sweep-B-replay',
    { table: 'B', from: 'x', to: 'y' },
    { tables: { B: { ...found(3), deleted: 1, renewed: 2 } } },
  ],
  [
    'a dry run',
    'replay  2 found (dry run)  B',
    'sweep-B-replay',
    { from: 'x', to: 'y', dryRun: true },
    { tables: { B: { ...noCounts(EXECUTION_COUNTS), dryRun: true, found: 2, lagMs: null } } },
  ],
  [
    'a tick that leaves something',
    'tick    3 deleted  p99 0.1 s  the rest left to a later sweep  B',
    'sweep-B',
    {},
    { tables: { B: { ...found(3), leftForLater: 1 } } },
  ],
  ['a machine of somebody else', 'own     succeeded in 0.0 s', 'own', {}, { any: 'x'.repeat(400) }],
])('%s is one line without --verbose', async (_what, line, name, input, Output) => {
  const execution = await execute({ Type: 'Pass', Output, End: true }, input, name);
  const schedule = name === 'sweep-B' ? 'sweep-B-tick' : undefined;
  expect(describeExecution(execution, { schedule, verbose: false })).toBe(`09:00:00Z  ${line}`);
});

test.each<[string, object, string | undefined, string]>([
  ['a schedule', { scheduledTime: 'x' }, 'sweep-B-tick', ', by sweep-B-tick'],
  ['a person', { table: 'B', from: 'x', to: 'y' }, undefined, ''],
])('the line says who started it: %s', async (_who, input, schedule, words) => {
  const execution = await execute({ Type: 'Pass', Output: { tables: {} }, End: true }, input);
  expect(describeExecution(execution, { schedule })).toMatch(
    `09:00:00Z  sweep-B:one  SUCCEEDED in 0.00 s${words}: nothing to delete, $`,
  );
});

test('a sweep that left something says of which table, and which keys', async () => {
  const failedKeys = [{ key: { id: { S: 'a' } }, reason: 'AccessDenied' }];
  const left = { ...found(0), found: 2, failed: 2, failedKeys };
  const Cause = JSON.stringify({ tables: { A: found(1), B: left } });
  const text = describeExecution(await execute({ Type: 'Fail', Error: 'SweepIncompleteError', Cause }));
  expect(text.split('\n').slice(0, -1)).toEqual([
    '09:00:00Z  sweep-B:one  FAILED in 0.00 s',
    '           state        A',
    '           error        SweepIncompleteError',
    '           A            found 1, deleted 1, lag p50 0.06 s, p99 0.09 s',
    '           B            found 2, failed 2, lag p50 0.06 s, p99 0.09 s',
    '                        2 of 2 items could not be deleted (AccessDenied)',
    '                        {"key":{"id":{"S":"a"}},"reason":"AccessDenied"}',
  ]);
});

test('what a stop of the command has cut off is no failure', async () => {
  const clock = new VirtualClock(at('09:00:00'));
  const engine = new Engine({ clock, invoker: { invoke: () => Promise.reject(new Error('none')) } });
  const states = { A: { Type: 'Wait', Seconds: 60, End: true } };
  const definition = loadDefinition(
    JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'A', States: states }),
  );
  const machine = { arn: ARN, name: 'sweep-B', roleArn: 'r', type: 'STANDARD', definition } as const;
  const execution = engine.start(machine, { input: {}, name: 'one' });
  execution.stop();
  await execution.done;
  expect(describeExecution(execution, { schedule: 'sweep-B-tick', stopping: true })).toMatch(
    /^09:00:00Z {2}sweep-B:one {2}cut off after 0\.00 s, as this command was stopped, by sweep-B-tick: \$[\d.]+$/,
  );
  // The execution was stopped with StopExecution.
  expect(describeExecution(execution, { schedule: 'sweep-B-tick' })).toContain(
    'ABORTED in 0.00 s, by sweep-B-tick\n',
  );
});

test('a line that a function printed has its short name, unless there are several state machines', () => {
  expect(describeLine('sweep-B-plan-sweep', 'hello', ['sweep-B'])).toMatch(
    /^[\d:]{8}Z {2}plan-sweep {6}hello$/,
  );
  expect(describeLine('sweep-B-plan-sweep', 'hello', ['sweep-A', 'sweep-B'])).toMatch(
    /^[\d:]{8}Z {2}sweep-B-plan-sweep {2}hello$/,
  );
});
