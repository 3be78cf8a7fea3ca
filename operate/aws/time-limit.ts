/** Ends what a command asks for once it has taken too long as a whole, so that it can say what it knows by then. */
export class TimeLimit {
  readonly seconds: number;
  #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #startedAt = performance.now();

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  /**
   * From now on there are so many seconds once more.
   *
   * @param spentMs milliseconds of them that have passed already
   */
  start(spentMs = 0): void {
    this.stop();
    const controller = new AbortController();
    this.#controller = controller;
    this.#startedAt = performance.now() - spentMs;
    this.#timer = setTimeout(() => controller.abort(), this.leftMs);
  }

  /** Until the next start a call may take as long as it takes, unless the time was over before. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing more is asked, and nothing that was is waited for. */
  end(): void {
    this.stop();
    this.#controller.abort();
  }

  /** Milliseconds since the start that are left. */
  get leftMs(): number {
    return Math.max(0, this.seconds * 1000 - (performance.now() - this.#startedAt));
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
