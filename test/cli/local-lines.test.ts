import {
  Engine,
  type Execution,
  type FunctionInvoker,
  type FunctionResult,
  loadDefinition,
  VirtualClock,
} from 'stepfunctions-emulator';
import {
  describeExecution,
  describeExpiry,
  describeFailure,
  describeLine,
  describePipeTrouble,
  describeStart,
  FailedCalls,
  readableLine,
} from '../../cli/local-lines.ts';
import type { PipeResource } from '../../local/pipes/pipes.ts';
import type { ServedCloud } from '../../local/serve.ts';
import { EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';

const FUNCTION_LINE = {
  timestamp: '2026-11-21T09:00:00.000Z',
  service: 's',
  xray_trace_id: '1-2',
  cold_start: true,
};
const NAMES = Array.from({ length: 50 }, (_, index) => `f${index + 10}`);
const MANY = Object.fromEntries(NAMES.map(name => [name, 0]));
const ERROR = { name: 'TypeError', message: 'x is no function', stack: 'TypeError: …\n at y', location: 'z' };

const inLevel = (level: string, more: object) => ({ ...FUNCTION_LINE, level, message: 'm', ...more });

test.each<[string, unknown, string]>([
  ['plain text stays', 'hello  there', 'hello  there'],
  ['so does what only looks like JSON', '{not json', '{not json'],
  ['and JSON that is no log line', '{"a":1}', '{"a":1}'],
  ['a long text is cut', 'x'.repeat(500), `${'x'.repeat(400)}…`],
  ['a field', inLevel('info', { found: 3, keys: [{ id: 'a' }] }), 'INFO    m  found=3 keys=[{"id":"a"}]'],
  ['a message that is an object', inLevel('ERROR', { message: { a: [1] } }), 'ERROR   {"a":[1]}'],
  ['no stack', inLevel('WARN', { error: ERROR }), 'WARN    m  error=TypeError: x is no function'],
  [
    'metrics',
    { _aws: { CloudWatchMetrics: [] }, T: 'T', ItemsFound: 3, Lag: [1] },
    'METRIC  T=T ItemsFound=3 Lag=[1]',
  ],
  ['a long value', inLevel('INFO', { a: 'x'.repeat(100), b: 1 }), `INFO    m  a=${'x'.repeat(60)}… b=1`],
  ['many values', inLevel('INFO', MANY), `INFO    m  ${NAMES.join('=0 ').slice(0, 160)}…`],
])('of a line that a function printed: %s', (_what, printed, shown) => {
  expect(readableLine(typeof printed === 'string' ? printed : JSON.stringify(printed))).toBe(shown);
});

const at = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const ACCOUNT = '123456789012';
const roleArn = `arn:aws:iam::${ACCOUNT}:role/r`;
const f = `arn:aws:lambda:us-east-1:${ACCOUNT}:function:f`;
const task = () => ({ Type: 'Task', Resource: f, End: true });
const fail = { Type: 'Fail', Error: 'Own', Cause: 'gone' };
const thrown: FunctionResult = {
  ok: false,
  errorType: 'TypeError',
  errorMessage: 'no good',
  cause: {
    errorType: 'TypeError',
    errorMessage: 'no good',
    trace: [
      'TypeError: no good',
      '    at inner (file:///tmp/precise-ttl-local-x/f/index.mjs:1:2)',
      '    at node:internal/process:3:4',
      ...Array(9).fill('    at outer (/var/task/index.mjs:5:6)'),
    ],
  },
};
const ABOUT_THROWN = {
  error: 'TypeError',
  message: 'no good',
  stack: [
    'at inner (index.mjs:1:2)',
    'at node:internal/process:3:4',
    ...Array(3).fill('at outer (index.mjs:5:6)'),
  ].join('\n'),
};

const CALL = {
  ...{ functionName: 'f', traceId: '', startedAt: 9, ok: false },
  error: { errorType: 'TypeError', errorMessage: 'no good' },
  lines: ['one', '{"level":"WARN","message":"two"}'],
};

interface Run {
  /** Of the state machine. */
  readonly name?: string;
  readonly stop?: boolean;
  readonly calls?: FailedCalls;
}

/** Runs states to the end of the execution; each call of a function fails. */
async function run(
  states: Record<string, object>,
  { name = 'sweep-B', stop = false, calls }: Run = {},
): Promise<Execution> {
  const invoke: FunctionInvoker['invoke'] = async (_arn, payload, { site }) => {
    const call = { functionName: 'f', traceId: '', startedAt: 0, ok: false, lines: [`got ${payload}`] };
    calls?.add({ ...call, executionArn: site?.executionArn });
    return thrown;
  };
  const engine = new Engine({ clock: new VirtualClock(at('09:00:00')), invoker: { invoke } });
  const text = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states });
  const arn = `arn:aws:states:us-east-1:${ACCOUNT}:stateMachine:sweep-B`;
  const machine = { arn, name, roleArn, type: 'STANDARD', definition: loadDefinition(text) } as const;
  const execution = engine.start(machine, { input: 'first', name: 'one' });
  if (stop) execution.stop();
  return execution.done;
}

const CAUGHT = { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B', Output: 'second' }] };
const CHILD = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' }, StartAt: 'C' };
const MAP = { Type: 'Map', Items: ['item'], ToleratedFailurePercentage: 100, Next: 'F' };
const OF_CHILD = { M: { ...MAP, ItemProcessor: { ...CHILD, States: { C: task() } } }, F: fail };

test.each<[string, Record<string, object>, string]>([
  ['the last one of its own', { A: { ...task(), ...CAUGHT }, B: task() }, 'got second'],
  ['one of a child of its Map Run', OF_CHILD, 'got item'],
])('the failed call of an execution is known by it, once: %s', async (_which, states, printed) => {
  const calls = new FailedCalls();
  const execution = await run(states, { calls });
  calls.add({ ...CALL, ok: true, executionArn: execution.arn });
  expect(calls.take(execution)).toMatchObject({ functionName: 'f', lines: [printed] });
  expect(calls.take(execution)).toBeUndefined();
});

const PRINTED = { function: 'f', printed: 'one\nWARN    two' };

test.each<[string, Record<string, object>, typeof CALL | undefined, object]>([
  ['a function, with what it printed', { A: task() }, CALL, { ...ABOUT_THROWN, ...PRINTED }],
  [
    'a Fail state, with the call before it',
    { B: fail },
    CALL,
    { error: 'Own', cause: 'gone', 'its error': 'TypeError: no good', ...PRINTED },
  ],
  [
    'an expression, with its state',
    { A: { Type: 'Pass', Output: "{% $number('x') %}", End: true } },
    undefined,
    {
      error: 'States.QueryEvaluationError',
      cause: expect.stringMatching(/executing the state 'A'.*Unable to cast value to a number/s),
    },
  ],
])('shows the error and the reason of %s', async (_name, states, call, expected) => {
  expect(Object.fromEntries(describeFailure(await run(states), call))).toEqual(expected);
});

afterEach(() => jest.restoreAllMocks());

test('an expiry, what is wrong with a pipe, and what a function printed are a line each', () => {
  jest.spyOn(Date, 'now').mockReturnValue(at('09:03:25.500'));
  const targetArn = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';
  const pipe = { address: 'aws_pipes_pipe.A', targetArn } as PipeResource;
  expect([
    describeExpiry({ pipe, event: { id: '1' } as never }),
    describePipeTrouble(new Error('no connection'), pipe),
    describeLine('sweep-B-plan-sweep', 'hello', 'sweep-B'),
  ]).toEqual([
    '09:03:25Z  expiry  event-bus/orders  {"id":"1"}',
    '09:03:25Z  aws_pipes_pipe.A  Error: no connection; it is tried again',
    '09:03:25Z  plan-sweep      hello',
  ]);
});

const NONE = noCounts(EXECUTION_COUNTS);
const LAG = { lagMs: { p50: 60, p99: 90, max: 90 } };
const found = (items: number, more = {}) => ({ ...NONE, found: items, deleted: items, ...LAG, ...more });

test.each<[line: string, name: string, tables: object]>([
  [
    'tick    A: found 1,000, deleted 1,000, lag p50 0.06 s, p99 0.09 s; B: found 3, deleted 3, lag p50 0.06 s, p99 0.09 s',
    'sweep-B',
    { A: found(1000), idle: found(0), B: found(3) },
  ],
  ['tick    nothing to delete', 'sweep-B', { A: found(0) }],
  [
    'replay  B: found 3, deleted 1, renewed 2, lag p50 0.06 s, p99 0.09 s',
    'sweep-B-replay',
    { B: found(3, { deleted: 1, renewed: 2 }) },
  ],
  ['replay  B: found 2 (dry run)', 'sweep-B-replay', { B: { ...NONE, dryRun: true, found: 2, lagMs: null } }],
  ['tick    B: left for later 1', 'sweep-B', { B: { ...NONE, leftForLater: 1 } }],
  ['own     succeeded in 0.0 s', 'own', 'of somebody else'.split(' ')],
])('an execution is one line: %s', async (line, name, tables) => {
  const Output = name === 'own' ? tables : { tables };
  const execution = await run({ A: { Type: 'Pass', Output, End: true } }, { name });
  const schedule = name === 'sweep-B' ? 'sweep-B-tick' : undefined;
  expect(describeExecution(execution, { schedule })).toBe(`09:00:00Z  ${line}`);
});

test('a sweep that left something says of which table, and which keys', async () => {
  const failedKeys = [{ key: { id: { S: 'a' } }, reason: 'AccessDenied' }];
  const left = { ...found(0), found: 2, failed: 2, failedKeys };
  const Cause = JSON.stringify({ tables: { A: found(1), B: left } });
  const text = describeExecution(await run({ A: { ...fail, Error: 'SweepIncompleteError', Cause } }), {
    schedule: 's',
  });
  expect(text.split('\n')).toEqual([
    '09:00:00Z  tick    FAILED in 0.0 s, one',
    '  error  SweepIncompleteError',
    '  B      found 2, failed 2, lag p50 0.06 s, p99 0.09 s',
    '         {"key":{"id":{"S":"a"}},"reason":"AccessDenied"}',
  ]);
});

test('what a stop of the command has cut off is no failure', async () => {
  const execution = await run({ A: { Type: 'Wait', Seconds: 60, End: true } }, { stop: true });
  expect(describeExecution(execution, { schedule: 's', stopping: true })).toBe(
    '09:00:00Z  tick    cut off after 0.0 s, as this command was stopped',
  );
  expect(describeExecution(execution, { schedule: 's' })).toBe('09:00:00Z  tick    ABORTED in 0.0 s, one');
  expect(describeExecution(await run({ B: fail }), { stopping: true })).toContain('FAILED in 0.0 s');
});

const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep-B';

const PIPE = { tableName: 'A', targetArn: 'arn:aws:events:us-east-1:123456789012:event-bus/orders' };

/** A cloud with two tables in one deployment. */
const served = {
  dynamoDbEndpoint: 'http://127.0.0.1:8000',
  endpoint: 'http://127.0.0.1:8083',
  region: 'us-east-1',
  cloud: {
    synthesized: {
      tables: [{ name: 'A' }, { name: 'B' }],
      stateMachines: [
        { name: 'sweep-B', arn: ARN },
        { name: 'sweep-B-replay', arn: `${ARN}-replay` },
      ],
      schedules: [{ targetArn: ARN }],
      pipes: [PIPE],
    },
    dynamoDb: { endpoint: 'http://127.0.0.1:1', startedHere: false },
    schedules: { upcoming: () => [{ schedule: { name: 'tick-B' }, at: at('09:01:00') }] },
  },
} as unknown as ServedCloud;
const idle = {
  ...served,
  cloud: { ...served.cloud, schedules: { upcoming: () => [] } },
} as unknown as ServedCloud;

test.each([
  ['fire', served, true, 'tick-B (next 09:01:00Z)'],
  ['do not, by the flag', served, false, 'none fires (--no-schedules)'],
  ['do not, by the configuration', idle, true, 'none is enabled'],
])(
  'the start says where pipes lead, and whether schedules fire: they %s',
  (_name, cloud, schedules, expected) => {
    const text = describeStart(cloud, { tableName: 'B', deployment: 'sweep-B' }, schedules, 'http://page/');
    expect(text).toContain(`
  pipe            A to event-bus/orders: its expiries are shown here, none is sent
  schedules       ${expected}
`);
  },
);
