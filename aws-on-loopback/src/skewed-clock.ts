import type { Clock } from 'stepfunctions-emulator';

/** Returns a clock that is ahead of another one, by a fixed number of milliseconds or by what a function returns. */
export function skewedClock(clock: Clock, aheadMs: number | (() => number)): Clock {
  const ahead = typeof aheadMs === 'number' ? () => aheadMs : aheadMs;
  return {
    now: () => clock.now() + ahead(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, callback) => clock.schedule(ms, callback),
    busy: work => clock.busy(work),
  };
}
