import type { ResolvedProps } from '../../config/props.ts';
import { lateMs } from '../../functions/record-metrics/metrics.ts';
import type { OverdueLook } from './overdue.ts';

/** How late the oldest overdue item is, and from when on an item counts as late. */
export interface Lateness {
  /** Seconds since the item was due. */
  readonly seconds: number;
  /** Seconds after which an item that is due counts as late, by the table's precision. */
  readonly lateAfter: number;
  /** Whether the item may have been written less than two minutes before it expired: without polling such items wait for the next tick. */
  readonly mayBeWrittenLate: boolean;
}

/** Seconds after which the next tick has deleted items that were written less than two minutes before they expired. */
const NEXT_TICK_SECONDS = 120;

/** Seconds in which several ticks should have deleted an item. */
const TICKS_SECONDS = 180;

type Pace = Pick<ResolvedProps, 'precision' | 'pollSeconds'>;

/** Seconds after which an item that is due is gone while the sweep keeps up: with `pollSeconds` also one that was written late. */
export function lateAfterSeconds({ precision, pollSeconds }: Pace): number {
  return lateMs({ precision }) / 1000 + pollSeconds;
}

/** Undefined: no item is later than the table's precision allows. */
export function latenessOf(
  { readAt, named: [oldest] }: Pick<OverdueLook, 'readAt' | 'named'>,
  pace: Pace,
): Lateness | undefined {
  if (oldest === undefined) return undefined;
  const seconds = readAt - oldest.ttl;
  const lateAfter = lateAfterSeconds(pace);
  if (seconds <= lateAfter) return undefined;
  return { seconds, lateAfter, mayBeWrittenLate: pace.pollSeconds === 0 && seconds <= NEXT_TICK_SECONDS };
}

/** Whether several ticks have failed to delete the item. */
export function isLeft({ seconds, lateAfter }: Lateness): boolean {
  return seconds > lateAfter + TICKS_SECONDS;
}

/** The change of the number of overdue items between two looks. */
export interface Trend {
  /** Items per second; negative if the number grows. */
  readonly fewerPerSecond: number;
  /** Seconds between the two looks. */
  readonly measuredSeconds: number;
  /** Expected time when no item is overdue any more, epoch milliseconds; null: not at this rate. */
  readonly caughtUpAt: number | null;
}

interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly overdue: number;
}

/** The longest time between two looks for a trend, milliseconds: a longer one describes the past and not the present. */
const MAX_MS = 30_000;

/** The shortest time between two looks for a trend, milliseconds: in a shorter one the steps of a second's deletes dominate. */
export const MIN_MS = 1_500;

/**
 * Smallest change that counts as a trend, unless it is half of all items: smaller changes occur by chance, because seconds differ
 * in their number of expiries.
 */
const TELLING = 20;

/** The furthest time ahead that is predicted, seconds: new items expire until then too. */
const FORESEEN_SECONDS = 86_400;

/** Stores the counts of a table from complete looks, and calculates the trend. */
export class Trends {
  #samples: readonly Sample[] = [];

  /** @param at epoch milliseconds */
  add({ overdue, unseen }: Pick<OverdueLook, 'overdue' | 'unseen'>, at: number): void {
    if (unseen !== null) return;
    this.#samples = [...this.#samples, { at, overdue }].filter(sample => at - sample.at <= MAX_MS);
  }

  /** Undefined if too little is known. */
  get trend(): Trend | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < MIN_MS) return undefined;
    const measuredSeconds = (last.at - first.at) / 1000;
    const fewerPerSecond = (first.overdue - last.overdue) / measuredSeconds;
    const left = last.overdue / fewerPerSecond;
    const isTelling = first.overdue - last.overdue >= Math.min(TELLING, first.overdue / 2);
    const isForeseen = isTelling && fewerPerSecond > 0 && left <= FORESEEN_SECONDS;
    return { fewerPerSecond, measuredSeconds, caughtUpAt: isForeseen ? last.at + left * 1000 : null };
  }
}
