import { type CancelTimer, VirtualClock } from 'stepfunctions-emulator';

/** Milliseconds that `advance` adds, so that all timers of its last millisecond fire, and none of the next millisecond. */
const AFTER_MS = 0.5;

/** A virtual clock that advances only in `advance` and `passUntil`. Otherwise no timer fires, however long the caller takes. */
export class SteppedClock extends VirtualClock {
  #go: () => void = () => {};
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(startMs: number) {
    super(startMs);
    this.#stand();
  }

  override now(): number {
    return Math.floor(super.now());
  }

  override schedule(ms: number, callback: () => void): CancelTimer {
    return super.schedule(this.now() + Math.max(0, ms) - super.now(), callback);
  }

  /** Advances the clock; timers that become due fire. Resolves when all `busy` work has ended or sleeps on the clock. */
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

  /** Stops the clock. A virtual clock does not advance during work, so this method starts work that ends only when `#go` is called. */
  #stand(): void {
    void this.busy(
      () =>
        new Promise<void>(resolve => {
          this.#go = resolve;
        }),
    );
  }
}
