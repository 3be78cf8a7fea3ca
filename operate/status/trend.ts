import type { OverdueLook } from './overdue.ts';

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
