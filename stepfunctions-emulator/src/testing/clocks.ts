import { type Clock, realClock, VirtualClock } from '../clock.ts';
import { HarnessError } from './errors.ts';

/** Clock and start of executions. */
export interface ClockOptions {
  /**
   * `virtual`: stands still while anything runs and then jumps to the next timer. `real`: the wall clock. Or a clock of your own, which
   * several executions may share.
   * @default virtual
   */
  readonly clock?: 'virtual' | 'real' | Clock;
  /** Start time of a virtual clock: a Date, ISO-8601 text or epoch milliseconds. @default 2026-01-01T00:00:00Z */
  readonly startTime?: Date | string | number;
}

/** @throws {HarnessError} */
export function clockFor({ clock = 'virtual', startTime }: ClockOptions): Clock {
  if (clock === 'virtual')
    return startTime === undefined ? new VirtualClock() : new VirtualClock(read(startTime));
  if (startTime !== undefined) {
    throw new HarnessError("startTime: expected it together with clock: 'virtual', got another clock");
  }
  if (clock === 'real') return realClock;
  if (typeof clock === 'object' && typeof clock.busy === 'function') return clock;
  throw new HarnessError(`clock: expected 'virtual', 'real' or a Clock, got ${JSON.stringify(clock)}`);
}

function read(startTime: Date | string | number): number {
  const ms = new Date(startTime).getTime();
  if (Number.isFinite(ms)) return ms;
  throw new HarnessError(
    `startTime: expected a Date, ISO-8601 text or epoch milliseconds, got ${JSON.stringify(startTime)}`,
  );
}
