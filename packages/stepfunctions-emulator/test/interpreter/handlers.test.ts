import { VirtualClock } from '../../src/clock.ts';
import { seededRandom } from '../../src/interpreter/index.ts';
import { retryDelayMs } from '../../src/interpreter/run/state.ts';
import {
  eventTypes,
  graph,
  LAMBDA_INVOKE,
  machineOf,
  mapOf,
  outcome,
  pass,
  raise,
  run,
  task,
} from './run-definition.ts';

const taskOf = (fields: object) => ({ ...task, ...fields });
const catching = (catchers: readonly object[], fields: object = {}) =>
  machineOf({ A: taskOf({ Catch: catchers, ...fields }), Caught: pass });
const retrying = (retriers: readonly object[], fields: object = {}) =>
  machineOf({ A: taskOf({ Retry: retriers, ...fields }) });

/** errors that a function or the state can produce, and whether States.ALL and States.TaskFailed catch them */
test.each([
  ['Custom', raise('Custom'), {}, true, true],
  [
    'States.Timeout',
    (_e: unknown, clock: { sleep(ms: number): Promise<void> }) => clock.sleep(9e4),
    { TimeoutSeconds: 1 },
    true,
    false,
  ],
  ['States.QueryEvaluationError', () => 1, { Output: '{% $nothing %}' }, true, true],
  // The result of the Task itself, as recorded on AWS, and what its state makes of it, as documented.
  ['States.DataLimitExceeded', () => 'x'.repeat(300_000), {}, true, true],
  ['States.DataLimitExceeded', () => 1, { Output: '{% $pad("", 300000, "x") %}' }, false, false],
  ['States.Runtime', raise('States.Runtime'), {}, false, false],
])('%s is caught by the names that cover it', async (error, f, rest, byAll, byTaskFailed) => {
  for (const [name, catches] of [
    ['States.ALL', byAll],
    ['States.TaskFailed', byTaskFailed],
    // It is not handled under its own name either; see below.
    [error, error !== 'States.Runtime'],
    ['Other', false],
  ] as const) {
    const execution = await run(catching([{ ErrorEquals: [name], Next: 'Caught' }], rest), {
      functions: { f },
    });
    expect([name, execution.status]).toEqual([name, catches ? 'SUCCEEDED' : 'FAILED']);
    if (catches) expect(execution.output).toMatchObject({ Error: error });
    else expect(execution.error).toBe(error);
  }
});

test('a missed heartbeat is caught under either of its names', async () => {
  const f = (_e: unknown, clock: { sleep(ms: number): Promise<void> }) => clock.sleep(9e4);
  for (const name of ['States.HeartbeatTimeout', 'States.Timeout']) {
    const definition = catching([{ ErrorEquals: [name], Next: 'Caught' }], { HeartbeatSeconds: 1 });
    expect((await run(definition, { functions: { f } })).status).toBe('SUCCEEDED');
  }
  const definition = catching([{ ErrorEquals: ['States.HeartbeatTimeout'], Next: 'Caught' }], {
    TimeoutSeconds: 1,
  });
  expect((await run(definition, { functions: { f } })).status).toBe('FAILED');
});

test('the first catcher that matches takes it, after the retries', async () => {
  const definition = machineOf({
    A: taskOf({
      Retry: [{ ErrorEquals: ['E'], MaxAttempts: 1 }],
      Catch: [
        { ErrorEquals: ['Other'], Next: 'Wrong' },
        { ErrorEquals: ['E'], Next: 'Right' },
        { ErrorEquals: ['States.ALL'], Next: 'Wrong' },
      ],
    }),
    Right: { Type: 'Pass', Output: 'right', End: true },
    Wrong: { Type: 'Pass', Output: 'wrong', End: true },
  });
  const execution = await run(definition, { functions: { f: raise('E') } });
  expect(execution.output).toBe('right');
  expect(eventTypes(execution).filter(type => type === 'LambdaFunctionFailed')).toHaveLength(2);
});

test('Assign and Output see the error and the input, and only the assignments of the catcher are made', async () => {
  const definition = machineOf({
    A: taskOf({
      Assign: { normal: 1 },
      Catch: [
        {
          ErrorEquals: ['States.ALL'],
          Assign: { error: '{% $states.errorOutput.Error %}' },
          Output: { in: '{% $states.input.a %}', keys: '{% $keys($states.errorOutput) %}' },
          Next: 'B',
        },
      ],
    }),
    B: {
      Type: 'Pass',
      Output: '{% $merge([$states.input, {"error": $error, "normal": $exists($normal)}]) %}',
      End: true,
    },
  });
  const execution = await run(definition, { functions: { f: raise('E') }, input: { a: 5 } });
  expect(execution.output).toEqual({ in: 5, keys: ['Error', 'Cause'], error: 'E', normal: false });
});

test('a failure without error and cause is caught with empty strings', async () => {
  const definition = machineOf({
    A: {
      Type: 'Parallel',
      Branches: [graph('F', { Type: 'Fail' })],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
      End: true,
    },
    Caught: pass,
  });
  const execution = await run(definition);
  expect(execution.output).toEqual({ Error: '', Cause: '' });
});

test('fails when the Output of the catcher fails, and does not catch that', async () => {
  const definition = catching([{ ErrorEquals: ['States.ALL'], Output: '{% $nothing %}', Next: 'Caught' }]);
  const execution = await run(definition, { functions: { f: raise('E') } });
  expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  expect(execution.cause).toContain("'Catch[0]/Output'");
});

/** The Developer Guide, "Error names": States.Runtime "isn't retriable, and will always cause the execution to fail". */
test.each(['States.ALL', 'States.TaskFailed', 'States.Runtime'])(
  'States.Runtime is not handled as %s, by a Map around it neither',
  async name => {
    // Arguments that lambda:invoke cannot use, as recorded on AWS.
    const invoking = taskOf({ Resource: LAMBDA_INVOKE, Arguments: '{% {} %}' });
    const map = mapOf(invoking, { Items: [1] });
    const handled = { Retry: [{ ErrorEquals: [name] }], Catch: [{ ErrorEquals: [name], Next: 'Caught' }] };
    for (const state of [invoking, map]) {
      const execution = await run(machineOf({ A: { ...state, ...handled }, Caught: pass }));
      expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.Runtime' });
      expect(execution.stopDate).toBe(execution.startDate);
    }
  },
);

/** A function that throws `errors` one after the other and then returns, and the seconds at which it was called. */
function failing(clock: VirtualClock, errors: readonly string[]) {
  const began = clock.now();
  const calls: number[] = [];
  const f = () => {
    calls.push((clock.now() - began) / 1000);
    const name = errors[calls.length - 1];
    if (name !== undefined) raise(name)();
    return 'done';
  };
  return { calls, functions: { f } };
}

describe('Retry', () => {
  test.each([
    ['the defaults: 1 s, doubled, three times', {}, 9, [0, 1, 3, 7], 'FAILED'],
    ['an interval', { IntervalSeconds: 5, MaxAttempts: 1 }, 9, [0, 5], 'FAILED'],
    ['a rate', { BackoffRate: 1.5, MaxAttempts: 3 }, 9, [0, 1, 2.5, 4.75], 'FAILED'],
    ['a constant interval', { BackoffRate: 1, MaxAttempts: 3 }, 9, [0, 1, 2, 3], 'FAILED'],
    ['a cap', { MaxDelaySeconds: 3, MaxAttempts: 4 }, 9, [0, 1, 3, 6, 9], 'FAILED'],
    ['no attempts', { MaxAttempts: 0 }, 9, [0], 'FAILED'],
    ['success in time', {}, 2, [0, 1, 3], 'SUCCEEDED'],
    ['success at the last attempt', {}, 3, [0, 1, 3, 7], 'SUCCEEDED'],
    [
      'ten minutes of backoff',
      { IntervalSeconds: 300, BackoffRate: 1, MaxAttempts: 2 },
      2,
      [0, 300, 600],
      'SUCCEEDED',
    ],
  ])('%s', async (_name, retrier, failures, expected, status) => {
    const clock = new VirtualClock();
    const { calls, functions } = failing(
      clock,
      Array.from({ length: failures }, () => 'Flaky'),
    );
    const execution = await run(retrying([{ ErrorEquals: ['Flaky'], ...retrier }]), { clock, functions });
    expect(calls).toEqual(expected);
    expect(execution.status).toBe(status);
  });

  test('each retrier counts its own attempts and grows its own interval', async () => {
    const clock = new VirtualClock();
    const { calls, functions } = failing(clock, ['X', 'Y', 'X', 'Y', 'X']);
    const retry = [
      { ErrorEquals: ['X'], IntervalSeconds: 1, MaxAttempts: 2 },
      { ErrorEquals: ['States.ALL'], IntervalSeconds: 10, MaxAttempts: 2 },
    ];
    const execution = await run(retrying(retry), { clock, functions });
    expect(calls).toEqual([0, 1, 11, 13, 33]);
    expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'X' });
  });

  test('shows the attempts in the context and repeats the events of the task', async () => {
    const clock = new VirtualClock();
    const { functions } = failing(clock, ['Flaky', 'Flaky']);
    const output = { Output: '{% $states.context.State.RetryCount %}' };
    const execution = await run(retrying([{ ErrorEquals: ['Flaky'] }], output), { clock, functions });
    expect(execution.output).toBe(2);
    const attempt = ['LambdaFunctionScheduled', 'LambdaFunctionStarted'];
    expect(eventTypes(execution)).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      ...attempt,
      'LambdaFunctionFailed',
      ...attempt,
      'LambdaFunctionFailed',
      ...attempt,
      'LambdaFunctionSucceeded',
      'TaskStateExited',
      'ExecutionSucceeded',
    ]);
    expect(execution.billing.stateTransitions).toBe(3);
  });

  test('retries an Output that fails, as the error comes from the state', async () => {
    let calls = 0;
    const functions = {
      f: () => {
        calls += 1;
        return calls < 2 ? {} : { x: 'here' };
      },
    };
    const retry = [{ ErrorEquals: ['States.QueryEvaluationError'] }];
    const execution = await run(retrying(retry, { Output: '{% $states.result.x %}' }), { functions });
    expect(outcome(execution)).toEqual({ status: 'SUCCEEDED', output: 'here' });
  });
});

describe('retryDelayMs', () => {
  test('full jitter spreads evenly and repeats with its seed', () => {
    const retrier = {
      errorEquals: [],
      intervalSeconds: 1,
      maxAttempts: 1,
      backoffRate: 1,
      maxDelaySeconds: undefined,
      jitterStrategy: 'FULL',
    } as const;
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 2000 }, () => retryDelayMs(retrier, 0, random));
    };
    const mean = draw(7).reduce((sum, ms) => sum + ms, 0) / 2000;
    expect(mean).toBeGreaterThan(450);
    expect(mean).toBeLessThan(550);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(8)).not.toEqual(draw(7));
  });
});
