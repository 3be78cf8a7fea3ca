import { VirtualClock } from 'stepfunctions-emulator';
import { untilIdle } from '../../../lab/watch/executions.ts';

test('waits until nothing runs any more', async () => {
  const clock = new VirtualClock(0);
  expect(await untilIdle(() => clock.now() >= 1_000, { clock })).toBe(true);
  expect(clock.now()).toBe(1_000);
});

test.each([
  ['at its deadline', { deadline: 500 }, 500],
  ['when it is stopped', { signal: AbortSignal.abort() }, 0],
])('gives up %s', async (_case, options, at) => {
  const clock = new VirtualClock(0);
  expect(await untilIdle(() => false, { clock, ...options })).toBe(false);
  expect(clock.now()).toBe(at);
});
