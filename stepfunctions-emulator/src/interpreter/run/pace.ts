import { type Clock, giveWay } from '../../clock.ts';
import { STATES_WITHOUT_TIME } from '../limits.ts';

/** Number of states that an engine runs before other work on the thread. */
const STATES_IN_A_ROW = 1_000;

/**
 * Lets the event loop run now and then: states that wait for nothing would otherwise delay timers, signals and requests for as long as
 * they run, which can be forever.
 */
export class Pace {
  readonly #clock: Clock;
  #states = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a state. Returns a promise only when other work must run. */
  next(): Promise<void> | undefined {
    this.#states += 1;
    return this.#states % STATES_IN_A_ROW === 0 ? giveWay(this.#clock) : undefined;
  }
}

/** The states that a line has entered since time last advanced for it. */
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
    // Only the states of the last rounds are kept, so that those before the loop are not reported.
    if (this.#entered === STATES_WITHOUT_TIME / 2) this.#names.clear();
    if (this.#entered >= STATES_WITHOUT_TIME / 2) this.#names.add(name);
    return this.#entered > STATES_WITHOUT_TIME ? [...this.#names] : undefined;
  }
}
