import { type Clock, giveWay } from '../../clock.ts';
import { STATES_WITHOUT_TIME } from '../limits.ts';

/** States that an engine runs before it gives way. */
const STATES_IN_A_ROW = 1_000;

/**
 * Lets the event loop come round now and then: states that wait for nothing would otherwise keep timers, signals and requests
 * waiting for as long as they go on, which can be for ever.
 */
export class Pace {
  readonly #clock: Clock;
  #states = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a state. A promise only when it is time to give way. */
  next(): Promise<void> | undefined {
    this.#states += 1;
    return this.#states % STATES_IN_A_ROW === 0 ? giveWay(this.#clock) : undefined;
  }
}

/** The states that a line has entered since time last passed for it. */
export class Rounds {
  readonly #clock: Clock;
  readonly #names = new Set<string>();
  #entered = 0;
  #since = Number.NaN;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the names of those that go round, once that is sure */
  enter(name: string): readonly string[] | undefined {
    const now = this.#clock.now();
    if (now !== this.#since) {
      this.#since = now;
      this.#entered = 0;
    }
    this.#entered += 1;
    // Only those of the last rounds: what led to the first of them is none of it.
    if (this.#entered === STATES_WITHOUT_TIME / 2) this.#names.clear();
    if (this.#entered >= STATES_WITHOUT_TIME / 2) this.#names.add(name);
    return this.#entered > STATES_WITHOUT_TIME ? [...this.#names] : undefined;
  }
}
