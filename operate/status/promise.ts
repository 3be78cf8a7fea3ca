import type { ResolvedProps } from '../../config/props.ts';
import { lateMs } from '../../functions/record-metrics/metrics.ts';
import type { OverdueLook } from './overdue.ts';

/** How late the oldest item that is still there is, beside what its table promises. Seconds. */
export interface Lateness {
  readonly seconds: number;
  /** So long after its expiry an item is gone while the sweep keeps up. */
  readonly promised: number;
  /** Who writes an item less than two minutes before it expires, to a table that is not polled, waits for the next tick. */
  readonly mayBeWrittenLate: boolean;
}

/** The next tick deletes what was written less than two minutes before it expired, seconds after that. */
const NEXT_TICK_SECONDS = 120;

/** Seconds for which several ticks have left it. */
const TICKS_SECONDS = 180;

type Pace = Pick<ResolvedProps, 'precisionSeconds' | 'pollSeconds'>;

/** So many seconds after its expiry an item is gone while the sweep keeps up. */
export function promisedSeconds({ precisionSeconds, pollSeconds }: Pace): number {
  return lateMs({ precisionSeconds: Math.max(precisionSeconds, pollSeconds) }) / 1000;
}

/** Undefined: nothing is later than the table promises. */
export function latenessOf(
  { readAt, named: [oldest] }: Pick<OverdueLook, 'readAt' | 'named'>,
  pace: Pace,
): Lateness | undefined {
  if (oldest === undefined) return undefined;
  const seconds = readAt - oldest.ttl;
  const promised = promisedSeconds(pace);
  if (seconds <= promised) return undefined;
  return { seconds, promised, mayBeWrittenLate: pace.pollSeconds === 0 && seconds <= NEXT_TICK_SECONDS };
}

/** It is not only late: several ticks have left it. */
export function isLeft({ seconds, promised }: Lateness): boolean {
  return seconds > promised + TICKS_SECONDS;
}
