/** A clock that can also sleep; the clock of a test runs faster. */
export interface Pace {
  /** Epoch milliseconds. */
  now(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Limits the rate of reads or deletes for all callers together. Each caller waits until the units of earlier calls are paid off at
 * this rate. So the units used in a period exceed its limit by at most the last call.
 */
export class Rate {
  readonly #unitsPerSecond: number;
  readonly #pace: Pace;
  #paidOffAt = Number.NEGATIVE_INFINITY;

  constructor(unitsPerSecond: number, pace: Pace) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#pace = pace;
  }

  /** Waits until the call may be made. @param units the expected consumption of the call */
  async take(units: number, signal: AbortSignal): Promise<void> {
    const now = this.#pace.now();
    const turn = Math.max(now, this.#paidOffAt);
    this.#paidOffAt = turn + this.#millisecondsOf(units);
    if (turn > now) await this.#pace.sleep(turn - now, signal);
  }

  /** Corrects the units of a call when its real consumption is known. */
  correct(taken: number, consumed: number): void {
    this.#paidOffAt += this.#millisecondsOf(consumed - taken);
  }

  #millisecondsOf(units: number): number {
    return (units / this.#unitsPerSecond) * 1000;
  }
}
