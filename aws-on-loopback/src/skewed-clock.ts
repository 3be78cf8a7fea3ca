import type { Clock } from 'stepfunctions-emulator';

/** Returns a clock that is a number of milliseconds ahead of another one. */
export function skewedClock(clock: Clock, aheadMs: number): Clock {
  return {
    now: () => clock.now() + aheadMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, callback) => clock.schedule(ms, callback),
    busy: work => clock.busy(work),
  };
}
