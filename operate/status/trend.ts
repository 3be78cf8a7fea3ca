import type { OverdueLook } from './overdue.ts';

/** Whether the overdue items become fewer or more, as measured between two looks. */
export interface Trend {
  /** Items a second; below 0 they become more. */
  readonly fewerPerSecond: number;
  /** Between the two looks, seconds. */
  readonly measuredSeconds: number;
  /** When nothing will be overdue if it goes on like that, epoch milliseconds; null: never. */
  readonly caughtUpAt: number | null;
}

interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly overdue: number;
}

/** Looks that are further apart say more about what was than about what is, milliseconds. */
const MAX_MS = 30_000;

/** Closer ones differ by what a second of deletes comes to, milliseconds. */
export const MIN_MS = 1_500;

/** So many more or fewer expire in one second than in another: a smaller change says nothing, unless it is half of what there was. */
const TELLING = 20;

/** Further ahead nobody knows what expires until then, seconds. */
const FORESEEN_SECONDS = 86_400;

/** Remembers what looks at a table have counted, as far as they counted all. */
export class Trends {
  #samples: readonly Sample[] = [];

  /** @param at epoch milliseconds */
  add({ overdue, unseen }: Pick<OverdueLook, 'overdue' | 'unseen'>, at: number): void {
    if (unseen !== null) return;
    this.#samples = [...this.#samples, { at, overdue }].filter(sample => at - sample.at <= MAX_MS);
  }

  /** Undefined: too little is known. */
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
