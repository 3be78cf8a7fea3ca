import { setTimeout as sleep } from 'node:timers/promises';
import { Pulse } from '../../../lab/chaos/pulse.ts';

test('measures the slowest of the requests', async () => {
  let beats = 0;
  const slow = new Promise<void>(resolve => {
    const pulse = new Pulse({
      from: Date.now(),
      beat: async () => {
        beats += 1;
        if (beats === 1) await sleep(120);
        if (beats === 2) {
          expect(pulse.worstMs).toBeGreaterThanOrEqual(115);
          void pulse.stop().then(resolve);
        }
      },
      onError: error => expect(error).toBeUndefined(),
    });
  });
  await slow;
  expect(beats).toBe(2);
});

test('tells of a request that fails, once', async () => {
  const errors: unknown[] = [];
  const pulse = await new Promise<Pulse>(resolve => {
    const made: Pulse = new Pulse({
      from: Date.now(),
      beat: () => Promise.reject(new Error('gone')),
      onError: error => {
        errors.push(error);
        resolve(made);
      },
    });
  });
  await pulse.stop();
  expect(errors).toEqual([new Error('gone')]);
});

test('measures nothing before its beginning, and stops at once', async () => {
  const beat = jest.fn();
  const pulse = new Pulse({ from: Date.now() + 60_000, beat, onError: beat });
  await pulse.stop();
  await pulse.stop();
  expect(beat).not.toHaveBeenCalled();
  expect(pulse.worstMs).toBe(0);
});
