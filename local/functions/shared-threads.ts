import { availableParallelism } from 'node:os';

/** Number of threads that all functions of a cloud share, and the time for which idle ones are kept. */
export interface ThreadLimits {
  /** Largest number of threads of all functions together; further calls wait. At least 1. */
  readonly most: number;
  /** Idle time after which a thread ends while its function has another one, milliseconds. */
  readonly idleMs: number;
  /** The same time for the only thread of a function. */
  readonly lastIdleMs: number;
}

/**
 * A thread uses 30 MB under load (measured once, commit cd567234). The functions mostly wait for DynamoDB Local, but that uses the same cores, and
 * handles one call after another.
 */
const THREADS_PER_CORE = 4;
const MAX_THREADS = 16;

export const THREAD_LIMITS: ThreadLimits = {
  most: Math.min(MAX_THREADS, THREADS_PER_CORE * Math.max(2, availableParallelism())),
  idleMs: 10_000,
  // Ticks start every minute: functions that they use stay loaded, as on Lambda.
  lastIdleMs: 300_000,
};

/**
 * At least two for each function: with fewer threads than functions, each call would end another function's thread and load its own module
 * again.
 */
export const mostThreads = (functions: number): number => Math.max(THREAD_LIMITS.most, 2 * functions);

/** Idle time after which a thread may be ended for another function that has a thread already, milliseconds. */
const HAND_OVER_MS = 3_000;

/** The threads of one function, as the sharing needs them. */
export interface Sharer {
  readonly size: number;
  /** Time since which its first queued call has waited, from `performance.now()`; undefined when no call waits. */
  readonly waitingSince: number | undefined;
  /** Time since which its longest idle thread has been idle; undefined when all are busy. */
  readonly restingSince: number | undefined;
  /** Ends the longest idle thread. Its place has already been given to another function. */
  giveUp(): void;
  /** Called when a thread may have become free. */
  dispatch(): void;
}

/**
 * Shares the threads of a cloud among the functions with waiting calls, up to the limit. A function without a thread comes first, so each
 * one makes progress however busy the others are.
 */
export class SharedThreads {
  readonly #most: number;
  readonly #sharers = new Set<Sharer>();
  #taken = 0;

  constructor({ most }: Pick<ThreadLimits, 'most'>) {
    this.#most = most;
  }

  /** Current number of threads. */
  get taken(): number {
    return this.#taken;
  }

  join(sharer: Sharer): void {
    this.#sharers.add(sharer);
  }

  /** Takes a place for a new thread. For this it may end an idle thread of another pool. @returns whether the pool may start a thread */
  take(sharer: Sharer): boolean {
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return true;
    }
    const giver = this.#giverFor(sharer);
    giver?.giveUp();
    return giver !== undefined;
  }

  /**
   * Called when a thread has ended or will not be used any more: functions without a thread are informed first, then those that have
   * waited longest.
   */
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
   * Whether a free thread should end, because another function needs its first thread, and its call has waited longer than this function's
   * own calls.
   */
  isWanted({ waitingSince: own = Number.POSITIVE_INFINITY }: Sharer): boolean {
    return (
      this.#taken >= this.#most &&
      [...this.#sharers].some(
        ({ size, waitingSince }) => size === 0 && waitingSince !== undefined && waitingSince < own,
      )
    );
  }

  /**
   * Chooses the function that ends a thread for this one: preferably one that has more threads, then the one whose thread has been idle
   * longest.
   */
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
