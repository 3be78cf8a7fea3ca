/** Ends the requests of a command after a time limit, so that it can report what it knows by then. */
export class TimeLimit {
  readonly seconds: number;
  #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #startedAt = performance.now();

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  /**
   * Starts the time limit again.
   *
   * @param spentMs milliseconds of it that have passed already
   */
  start(spentMs = 0): void {
    this.stop();
    const controller = new AbortController();
    this.#controller = controller;
    this.#startedAt = performance.now() - spentMs;
    this.#timer = setTimeout(() => controller.abort(), this.leftMs);
  }

  /** Suspends the time limit until the next start, unless it is over already. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Ends all requests, running ones too, and allows no more. */
  end(): void {
    this.stop();
    this.#controller.abort();
  }

  /** Milliseconds that are left since the start. */
  get leftMs(): number {
    return Math.max(0, this.seconds * 1000 - (performance.now() - this.#startedAt));
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
