import { VirtualClock } from '../../src/clock.ts';
import { eventTypes, machineOf, run } from './run-definition.ts';

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
