import { inParallel } from '../../operate/time-limit.ts';

const NEVER = new AbortController().signal;

test('runs no more than it may at a time, and everything once', async () => {
  let running = 0;
  let most = 0;
  const tasks = Array.from({ length: 20 }, (_unused, index) => index);
  const results = await inParallel(
    tasks,
    3,
    async task => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(resolve => setImmediate(resolve));
      running -= 1;
      return task;
    },
    NEVER,
  );
  expect(most).toBe(3);
  expect(results.sort((one, other) => one - other)).toEqual(tasks);
});

test('fails with the first error and begins nothing after it', async () => {
  const begun: number[] = [];
  const work = async (task: number) => {
    begun.push(task);
    if (task === 1) throw new Error('no access');
    await new Promise(resolve => setImmediate(resolve));
  };
  await expect(inParallel([0, 1, 2, 3], 2, work, NEVER)).rejects.toThrow('no access');
  expect(begun).toEqual([0, 1]);
});

test('gives what was done when it is interrupted', async () => {
  const controller = new AbortController();
  const work = async (task: number, signal: AbortSignal) => {
    if (task === 1) controller.abort();
    signal.throwIfAborted();
    return task;
  };
  expect(await inParallel([0, 1, 2, 3], 1, work, controller.signal)).toEqual([0]);
});
