import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as realTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { realClock, VirtualClock } from '../src/clock.ts';

const MINUTE = 60_000;

describe('VirtualClock', () => {
  test('sleeps ten minutes in no time, and says that ten minutes have passed', async () => {
    const clock = new VirtualClock(1000);
    const began = performance.now();
    await clock.sleep(10 * MINUTE);
    expect(clock.now()).toBe(1000 + 10 * MINUTE);
    expect(performance.now() - began).toBeLessThan(MINUTE);
  });

  test('wakes sleepers in the order of their times, then of their calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 20 }), { maxLength: 80 }), async delays => {
        const clock = new VirtualClock(0);
        const woken: Array<{ delay: number; call: number; at: number }> = [];
        await Promise.all(
          delays.map(async (delay, call) => {
            await clock.sleep(delay);
            woken.push({ delay, call, at: clock.now() });
          }),
        );
        const expected = delays
          .map((delay, call) => ({ delay, call, at: delay }))
          .sort((a, b) => a.delay - b.delay || a.call - b.call);
        expect(woken).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('does not move while something real is under way', async () => {
    const clock = new VirtualClock(0);
    let slept = false;
    const sleeping = clock.sleep(5).then(() => {
      slept = true;
    });
    await clock.busy(async () => {
      await realTimeout(20);
      expect(slept).toBe(false);
      expect(clock.now()).toBe(0);
    });
    await sleeping;
    expect(clock.now()).toBe(5);
  });

  test('moves while all busy work sleeps on the clock itself, and stands still when it wakes', async () => {
    const clock = new VirtualClock(0);
    const late = clock.sleep(2000);
    await clock.busy(async () => {
      await clock.sleep(1000);
      await realTimeout(20);
      expect(clock.now()).toBe(1000);
    });
    await late;
    expect(clock.now()).toBe(2000);
  });

  test('knows the busy work of each clock where one is inside of the other', async () => {
    const outer = new VirtualClock(0);
    const inner = new VirtualClock(0);
    const late = Promise.all([outer.sleep(2000), inner.sleep(2000)]);
    await outer.busy(async () => {
      await inner.busy(async () => {
        await outer.sleep(1000);
        await realTimeout(20);
        expect([outer.now(), inner.now()]).toEqual([1000, 0]);
        await inner.sleep(1000);
        await realTimeout(20);
        expect([outer.now(), inner.now()]).toEqual([1000, 1000]);
      });
    });
    await late;
    expect([outer.now(), inner.now()]).toEqual([2000, 2000]);
  });

  // Before Node 24 each of them makes every promise of the process slower for good: 21 s for what takes 0.1 s with one.
  test('all clocks share one storage', async () => {
    const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
    try {
      for (const clock of [new VirtualClock(), new VirtualClock(), new VirtualClock()]) {
        await clock.busy(() => clock.sleep(1));
      }
      expect(run).toHaveBeenCalledTimes(3);
      expect(new Set(run.mock.contexts).size).toBe(1);
    } finally {
      run.mockRestore();
    }
  });

  test('keeps moving after busy work has left a sleep behind', async () => {
    const clock = new VirtualClock(0);
    let left: Promise<void> | undefined;
    await clock.busy(async () => {
      left = clock.sleep(100);
    });
    await left;
    await clock.sleep(100);
    expect(clock.now()).toBe(200);
  });

  test('fails a sleep whose signal is aborted, before and during', async () => {
    const clock = new VirtualClock(0);
    const controller = new AbortController();
    const sleeping = clock.sleep(100, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(100, controller.signal)).rejects.toThrow('enough');
    await clock.sleep(1);
    expect(clock.now()).toBe(1);
  });

  test('drops cancelled timers, however many', async () => {
    const clock = new VirtualClock(0);
    let ran = 0;
    const cancels = Array.from({ length: 1000 }, (_, i) => clock.schedule(i, () => ran++));
    cancels.forEach((cancel, i) => {
      if (i % 10 !== 0) cancel();
    });
    await clock.sleep(2000);
    expect(ran).toBe(100);
    expect(clock.now()).toBe(2000);
  });
});

describe('realClock', () => {
  test('never wakes early', async () => {
    const began = realClock.now();
    await realClock.sleep(30);
    expect(realClock.now() - began).toBeGreaterThanOrEqual(30);
    expect(realClock.now() - began).toBeLessThan(1000);
  });

  test('does not fire a cancelled timer, nor one that is longer than setTimeout can wait', async () => {
    let fired = 0;
    const cancels = [realClock.schedule(5, () => fired++), realClock.schedule(2 ** 31 + 1000, () => fired++)];
    cancels[0]?.();
    await realClock.sleep(25);
    expect(fired).toBe(0);
    cancels[1]?.();
  });

  describe('when the wall clock is set anew', () => {
    beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-20T09:00:00Z') }));
    afterEach(() => jest.useRealTimers());

    test.each([
      ['an hour back', -3_600_000],
      ['an hour ahead', 3_600_000],
    ])('%s, a sleep lasts as long as it was to', async (_how, by) => {
      let woken = false;
      void realClock.sleep(10_000).then(() => {
        woken = true;
      });
      await jest.advanceTimersByTimeAsync(4_000);
      jest.setSystemTime(Date.now() + by);
      await jest.advanceTimersByTimeAsync(5_900);
      expect(woken).toBe(false);
      await jest.advanceTimersByTimeAsync(200);
      expect(woken).toBe(true);
    });

    test('a few milliseconds back, it still does not wake before its time', async () => {
      const due = realClock.now() + 10_000;
      let wokenAt = 0;
      void realClock.sleep(10_000).then(() => {
        wokenAt = realClock.now();
      });
      await jest.advanceTimersByTimeAsync(4_000);
      jest.setSystemTime(Date.now() - 3);
      await jest.advanceTimersByTimeAsync(6_100);
      expect(wokenAt).toBeGreaterThanOrEqual(due);
      expect(wokenAt).toBeLessThan(due + 50);
    });
  });
});
