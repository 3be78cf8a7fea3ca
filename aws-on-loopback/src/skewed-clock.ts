import type { Clock } from 'stepfunctions-emulator';

/** A clock that goes as another one does, and is so much ahead of it, milliseconds, always or at the moment. */
export function skewedClock(clock: Clock, aheadMs: number | (() => number)): Clock {
  const ahead = typeof aheadMs === 'number' ? () => aheadMs : aheadMs;
  return {
    now: () => clock.now() + ahead(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, callback) => clock.schedule(ms, callback),
    busy: work => clock.busy(work),
  };
}
