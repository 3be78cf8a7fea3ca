import type { ResolvedProps } from '../../config/props.ts';
import { lateMs } from '../../functions/record-metrics/metrics.ts';
import type { OverdueLook } from './overdue.ts';

/** Seconds by which the oldest overdue item is late, compared with the table's precision. */
export interface Lateness {
  readonly seconds: number;
  /** Seconds after the expiry within which an item is deleted if the sweep keeps up. */
  readonly promised: number;
  /** Whether the item may have been written less than two minutes before it expired: without polling such items wait for the next tick. */
  readonly mayBeWrittenLate: boolean;
}

/** Seconds after which the next tick has deleted items that were written less than two minutes before they expired. */
const NEXT_TICK_SECONDS = 120;

/** Seconds in which several ticks should have deleted an item. */
const TICKS_SECONDS = 180;

type Pace = Pick<ResolvedProps, 'precisionSeconds' | 'pollSeconds'>;

/** So many seconds after its expiry an item is gone while the sweep keeps up. */
export function promisedSeconds({ precisionSeconds, pollSeconds }: Pace): number {
  return lateMs({ precisionSeconds: Math.max(precisionSeconds, pollSeconds) }) / 1000;
}

/** Undefined: no item is later than the table's precision allows. */
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

/** Whether several ticks have failed to delete the item. */
export function isLeft({ seconds, promised }: Lateness): boolean {
  return seconds > promised + TICKS_SECONDS;
}
