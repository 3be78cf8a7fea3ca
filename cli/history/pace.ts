import { setTimeout as sleep } from 'node:timers/promises';

/** Lets calls through at a rate, with a burst at first. */
export class Pace {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  /** When the next call may begin, were there no burst, milliseconds. */
  #next: number;

  /**
   * @param perSecond calls
   * @param burst calls that need not wait
   */
  constructor(
    perSecond: number,
    burst: number,
    { now = () => performance.now(), wait = sleep as (ms: number) => Promise<unknown> } = {},
  ) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#wait = wait;
    this.#next = now() - (burst * 1000) / perSecond;
  }

  /** Resolves when the next call may begin. */
  async turn(): Promise<void> {
    const due = this.#next;
    this.#next += 1000 / this.#perSecond;
    const left = due - this.#now();
    if (left > 0) await this.#wait(left);
  }
}
