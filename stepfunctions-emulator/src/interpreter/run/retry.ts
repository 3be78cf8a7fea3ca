import type { Retrier } from '../definition.ts';
import { errorMatches, type StateFailure } from '../failure.ts';
import type { RandomSource } from '../random.ts';

/**
 * Delay before a retry, milliseconds: the interval grows by the rate with each attempt of this retrier, is capped, and with jitter is
 * drawn uniformly between zero and that.
 * @param attempt 0 for the first retry
 */
export function retryDelayMs(retrier: Retrier, attempt: number, random: RandomSource): number {
  const grown = retrier.intervalSeconds * retrier.backoffRate ** attempt;
  const seconds = Math.min(grown, retrier.maxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return seconds * 1000 * (retrier.jitter === 'FULL' ? random.next() : 1);
}

/** Counts the attempts of one visit of a state, for every retrier separately. */
export class RetryBudget {
  readonly #retriers: readonly Retrier[];
  readonly #attempts = new Map<Retrier, number>();

  constructor(retriers: readonly Retrier[]) {
    this.#retriers = retriers;
  }

  /** Delay before the next attempt, milliseconds, or undefined when `failure` is not retried (any more). */
  next(failure: StateFailure, random: RandomSource): number | undefined {
    const retrier = this.#retriers.find(one => errorMatches(one.errorEquals, failure));
    if (retrier === undefined) return undefined;
    const attempt = this.#attempts.get(retrier) ?? 0;
    if (attempt >= retrier.maxAttempts) return undefined;
    this.#attempts.set(retrier, attempt + 1);
    return retryDelayMs(retrier, attempt, random);
  }
}
