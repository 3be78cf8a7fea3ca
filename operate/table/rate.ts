/** A clock that can also wait; that of a test goes faster. */
export interface Pace {
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Spreads reads, or deletes, over time, for all who make them at once: whoever takes units waits until those that were taken before
 * are paid off, so that in any time no more than that time's units are used, and what was taken last.
 */
export class Rate {
  readonly #unitsPerSecond: number;
  readonly #pace: Pace;
  #paidOffAt = Number.NEGATIVE_INFINITY;

  constructor(unitsPerSecond: number, pace: Pace) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#pace = pace;
  }

  /** Waits for its turn. `units`: what the call is going to consume, as far as one knows. */
  async take(units: number, signal: AbortSignal): Promise<void> {
    const now = this.#pace.now();
    const turn = Math.max(now, this.#paidOffAt);
    this.#paidOffAt = turn + this.#millisecondsOf(units);
    if (turn > now) await this.#pace.sleep(turn - now, signal);
  }

  /** It was more, or less. */
  correct(taken: number, consumed: number): void {
    this.#paidOffAt += this.#millisecondsOf(consumed - taken);
  }

  #millisecondsOf(units: number): number {
    return (units / this.#unitsPerSecond) * 1000;
  }
}
