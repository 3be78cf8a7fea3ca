import { availableParallelism } from 'node:os';

/** How many threads the functions of a cloud have together, and for how long they keep them. */
export interface ThreadLimits {
  /** Most threads of all functions together; further calls wait. At least 1. */
  readonly most: number;
  /** Milliseconds after which a thread ends that nobody uses, while its function has another one. */
  readonly idleMs: number;
  /** The same for the only thread of a function. */
  readonly lastIdleMs: number;
}

/**
 * A thread holds 30 MB under load (`npm run bench memory`). The functions wait for DynamoDB Local most of their time, but that
 * works on the same cores, and one call after the other.
 */
const THREADS_PER_CORE = 4;
const MAX_THREADS = 16;

export const THREAD_LIMITS: ThreadLimits = {
  most: Math.min(MAX_THREADS, THREADS_PER_CORE * Math.max(2, availableParallelism())),
  idleMs: 10_000,
  // Ticks come every minute: what they use stays loaded, as on Lambda.
  lastIdleMs: 300_000,
};

/**
 * Two for each function at least: with fewer than one, each call of a cloud with many tables would end another function's thread
 * and load its own module anew.
 */
export const mostThreads = (functions: number): number => Math.max(THREAD_LIMITS.most, 2 * functions);

/** A function with one thread at least gets another function's only when nobody has used that for so long, milliseconds. */
const HAND_OVER_MS = 3_000;

/** The threads of one function, as far as it shares with others. */
export interface Sharer {
  readonly size: number;
  /** Since when its first call in the line has waited, by `performance.now()`; undefined when none does. */
  readonly waitingSince: number | undefined;
  /** Since when the thread that was used the longest ago has had nothing to do; undefined when all are busy. */
  readonly restingSince: number | undefined;
  /** Ends that thread. Its place is another function's already. */
  giveUp(): void;
  /** A place may have become free. */
  dispatch(): void;
}

/**
 * Shares out the threads of a cloud: as many as are allowed, to whoever has calls waiting. A function that has none comes
 * first, so that each one gets on however busy the others are.
 */
export class SharedThreads {
  readonly #most: number;
  readonly #sharers = new Set<Sharer>();
  #taken = 0;

  constructor({ most }: Pick<ThreadLimits, 'most'>) {
    this.#most = most;
  }

  /** Threads that there are now. */
  get taken(): number {
    return this.#taken;
  }

  join(sharer: Sharer): void {
    this.#sharers.add(sharer);
  }

  /** @returns whether it may start a thread; somebody else's may have ended for it */
  take(sharer: Sharer): boolean {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return true;
    }
    const giver = this.#giverFor(sharer);
    giver?.giveUp();
    return giver !== undefined;
  }

  /** A thread has ended, or will not be used any more: whoever has none is told first, then whoever has waited longest. */
  release(): void {
    this.#taken -= 1;
    const waiting = [...this.#sharers].filter(({ waitingSince }) => waitingSince !== undefined);
    waiting.sort(
      (one, other) =>
        Number(one.size > 0) - Number(other.size > 0) || (one.waitingSince ?? 0) - (other.waitingSince ?? 0),
    );
    for (const sharer of waiting) sharer.dispatch();
  }

  /**
   * Whether a thread that becomes free had better end, because there is no room for the first one of another function, whose
   * call has waited longer than those of its own.
   */
  isWanted({ waitingSince: own = Number.POSITIVE_INFINITY }: Sharer): boolean {
    return (
      this.#taken >= this.#most &&
      [...this.#sharers].some(
        ({ size, waitingSince }) => size === 0 && waitingSince !== undefined && waitingSince < own,
      )
    );
  }

  /** Who ends a thread for this one: rather one that has others, and then the one that has rested the longest. */
  #giverFor(sharer: Sharer): Sharer | undefined {
    const now = performance.now();
    const canGive = (other: Sharer) =>
      other !== sharer &&
      other.restingSince !== undefined &&
      (sharer.size === 0 || (other.size > 1 && now - other.restingSince >= HAND_OVER_MS));
    return [...this.#sharers]
      .filter(canGive)
      .sort(
        (one, other) =>
          Number(one.size === 1) - Number(other.size === 1) ||
          (one.restingSince ?? 0) - (other.restingSince ?? 0),
      )[0];
  }
}
