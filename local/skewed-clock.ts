import type { Clock } from 'stepfunctions-emulator';

/** A clock that goes as another one does, and is so much ahead of it, milliseconds. */
export function skewedClock(clock: Clock, aheadMs: number): Clock {
  return {
    now: () => clock.now() + aheadMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, callback) => clock.schedule(ms, callback),
    busy: work => clock.busy(work),
  };
}
