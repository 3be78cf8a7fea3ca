import { VirtualClock } from '../../src/clock.ts';
import { seededRandom } from '../../src/interpreter/index.ts';
import { retryDelayMs } from '../../src/interpreter/run/state.ts';
import { arnOf, eventTypes, machineOf, outcome, run } from './run-definition.ts';

/** A function that throws `errors` one after the other and then returns, and the seconds at which it was called. */
function failing(clock: VirtualClock, errors: readonly string[]) {
  const began = clock.now();
  const calls: number[] = [];
  const f = () => {
    calls.push((clock.now() - began) / 1000);
    const name = errors[calls.length - 1];
    if (name !== undefined) throw Object.assign(new Error('no'), { name });
    return 'done';
  };
  return { calls, functions: { f } };
}

const taskWith = (retry: readonly object[], rest: object = {}) =>
  machineOf({ A: { Type: 'Task', Resource: arnOf('f'), Retry: retry, End: true, ...rest } });

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
    const execution = await run(taskWith([{ ErrorEquals: ['Flaky'], ...retrier }]), { clock, functions });
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
    const execution = await run(taskWith(retry), { clock, functions });
    expect(calls).toEqual([0, 1, 11, 13, 33]);
    expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'X' });
  });

  test('shows the attempts in the context and repeats the events of the task', async () => {
    const clock = new VirtualClock();
    const { functions } = failing(clock, ['Flaky', 'Flaky']);
    const output = { Output: '{% $states.context.State.RetryCount %}' };
    const execution = await run(taskWith([{ ErrorEquals: ['Flaky'] }], output), { clock, functions });
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
    const execution = await run(taskWith(retry, { Output: '{% $states.result.x %}' }), { functions });
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
