import { type CancelTimer, VirtualClock } from 'stepfunctions-emulator';

/** A moment after everything that is due in its millisecond, and before the next one. */
const AFTER_MS = 0.5;

/**
 * A virtual clock that stands still until it is told to go on. Between two steps nothing that waits for a time happens,
 * however long the test itself takes.
 */
export class SteppedClock extends VirtualClock {
  #go: () => void = () => {};
  /** Steps go one after another: each one ends with the clock at rest. */
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(startMs: number) {
    super(startMs);
    this.#stand();
  }

  /** Whole epoch milliseconds. */
  override now(): number {
    return Math.floor(super.now());
  }

  override schedule(ms: number, callback: () => void): CancelTimer {
    return super.schedule(this.now() + Math.max(0, ms) - super.now(), callback);
  }

  /** Lets so much time pass. Everything that falls due meanwhile has been done, as far as it does not wait again. */
  advance(milliseconds: number): Promise<void> {
    return this.#step(async () => {
      const reached = new Promise<void>(resolve => {
        const rest = this.now() + milliseconds + AFTER_MS - super.now();
        super.schedule(rest, () => {
          this.#stand();
          resolve();
        });
      });
      this.#go();
      await reached;
    });
  }

  /** Lets time pass for as long as this takes: what waits on this clock, and what waits for real work. */
  passUntil<T>(work: () => Promise<T>): Promise<T> {
    return this.#step(async () => {
      this.#go();
      try {
        return await work();
      } finally {
        this.#stand();
      }
    });
  }

  #step<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#lastStep.then(step);
    this.#lastStep = done.catch(() => {});
    return done;
  }

  /** A virtual clock does not move while work is under way: this is work that ends when time may pass. */
  #stand(): void {
    void this.busy(
      () =>
        new Promise<void>(resolve => {
          this.#go = resolve;
        }),
    );
  }
}
