import { setTimeout as sleep } from 'node:timers/promises';

export interface PulseOptions {
  /** A small request of the database. */
  readonly beat: () => Promise<unknown>;
  /** The first one, epoch milliseconds. */
  readonly from: number;
  /** Gets what a request throws; then nothing more is measured. */
  readonly onError: (error: unknown) => void;
}

/** Milliseconds between two beats. */
const INTERVAL_MS = 250;

/**
 * Tells whether the machine keeps up, whatever the sweep does: makes a small request at a steady pace, and measures by
 * how much each is answered later than it was to be made.
 */
export class Pulse {
  readonly #stopping = new AbortController();
  readonly #beating: Promise<void>;
  #worstMs = 0;

  constructor(options: PulseOptions) {
    this.#beating = this.#beat(options).catch(options.onError);
  }

  /** The longest delay so far, milliseconds. */
  get worstMs(): number {
    return this.#worstMs;
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#beating;
  }

  async #beat({ beat, from }: PulseOptions): Promise<void> {
    const { signal } = this.#stopping;
    for (let due = from; ; due = Date.now() + INTERVAL_MS) {
      await sleep(Math.max(0, due - Date.now()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await beat();
      this.#worstMs = Math.max(this.#worstMs, Date.now() - due);
    }
  }
}
