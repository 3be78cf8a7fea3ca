import { VirtualClock } from '../../src/clock.ts';
import { eventTypes, machineOf, outcome, run } from './run-definition.ts';

const branch = (name: string, ...states: object[]) => {
  const names = states.map((_, i) => `${name}${i}`);
  return {
    StartAt: `${name}0`,
    States: Object.fromEntries(
      states.map((state, i) => [
        names[i],
        { ...state, ...(i + 1 < states.length ? { Next: names[i + 1] } : {}) },
      ]),
    ),
  };
};
const parallel = (branches: object[], rest: object = {}) =>
  machineOf({ P: { Type: 'Parallel', Branches: branches, End: true, ...rest } });
const wait = (seconds: number) => ({ Type: 'Wait', Seconds: seconds });
const pass = (output: unknown) => ({ Type: 'Pass', Output: output, End: true });

test('runs branches at the same time and keeps their order in the result', async () => {
  const clock = new VirtualClock(0);
  const execution = await run(parallel([branch('A', wait(5), pass('a')), branch('B', wait(3), pass('b'))]), {
    clock,
  });
  expect(execution.output).toEqual(['a', 'b']);
  expect(clock.now()).toBe(5000);
  expect(eventTypes(execution).slice(-3)).toEqual([
    'ParallelStateSucceeded',
    'ParallelStateExited',
    'ExecutionSucceeded',
  ]);
});

test('gives every branch the Arguments, or else the input', async () => {
  const echo = { Type: 'Succeed' };
  expect((await run(parallel([branch('A', echo)]), { input: { x: 1 } })).output).toEqual([{ x: 1 }]);
  const definition = parallel([branch('A', echo), branch('B', echo)], {
    Arguments: { y: '{% $states.input.x + 1 %}' },
  });
  expect((await run(definition, { input: { x: 1 } })).output).toEqual([{ y: 2 }, { y: 2 }]);
});

test('Output and Assign see the result', async () => {
  const definition = machineOf({
    P: {
      Type: 'Parallel',
      Branches: [branch('A', pass(1)), branch('B', pass(2))],
      Assign: { sum: '{% $sum($states.result) %}' },
      Output: '{% $states.result[1] %}',
      Next: 'Q',
    },
    Q: { Type: 'Pass', Output: '{% [$states.input, $sum] %}', End: true },
  });
  expect((await run(definition)).output).toEqual([2, 3]);
});

test('fails with the first failure and cuts the other branches off', async () => {
  const clock = new VirtualClock(0);
  const definition = parallel([
    branch('A', wait(60), pass('a')),
    branch('B', wait(1), { Type: 'Fail', Error: 'E', Cause: 'why' }),
  ]);
  const execution = await run(definition, { clock });
  expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'E' });
  expect(execution.stopDate).toBe(1000);
  expect(eventTypes(execution).slice(-4)).toEqual([
    'FailStateEntered',
    'WaitStateAborted',
    'ParallelStateFailed',
    'ExecutionFailed',
  ]);
});

test('fails when the results together are too big', async () => {
  const big = pass('{% $pad("", 200000, "x") %}');
  const execution = await run(parallel([branch('A', big), branch('B', big)]));
  expect(execution.error).toBe('States.DataLimitExceeded');
});

test('each event follows the one before it in its own branch', async () => {
  const execution = await run(parallel([branch('A', wait(1), pass(1)), branch('B', wait(2), pass(2))]));
  const byId = new Map(execution.history.map(event => [event.id, event]));
  const chainOf = (id: number): string[] => {
    const event = byId.get(id);
    return event === undefined ? [] : [...chainOf(event.previousEventId), event.type];
  };
  const exited = execution.history.filter(event => event.type === 'PassStateExited');
  for (const event of exited) {
    expect(chainOf(event.id)).toEqual([
      'ParallelStateEntered',
      'ParallelStateStarted',
      'WaitStateEntered',
      'WaitStateExited',
      'PassStateEntered',
      'PassStateExited',
    ]);
  }
  expect(execution.history.map(event => event.id)).toEqual(execution.history.map((_, i) => i + 1));
});
