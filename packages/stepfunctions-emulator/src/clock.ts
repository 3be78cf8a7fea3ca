import { AsyncLocalStorage } from 'node:async_hooks';

/** Cancels a scheduled callback; does nothing after the callback has run. */
export type CancelTimer = () => void;

/** The time of executions, schedules and the API, epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves `ms` milliseconds later (immediately for 0 or less); rejects with `signal.reason` when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  schedule(ms: number, callback: () => void): CancelTimer;
  /**
   * Runs real I/O (a function, a call over HTTP). A virtual clock stands still during such work, except while all such work sleeps on the
   * clock.
   */
  busy<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Largest natural drift between the wall clock and the timers' clock. A larger difference means that a person or a program set the wall
 * clock.
 */
const MAX_DRIFT_MS = 1_000;

/** Saved at import, before a test framework installs fake timers: fake timers would stop the clock forever. */
const immediately = setImmediate;

/** Lets other work on this thread run: timers, I/O, signals. A virtual clock stands still meanwhile. */
export const giveWay = (clock: Clock): Promise<void> =>
  clock.busy(() => new Promise(resolve => immediately(resolve)));

/** Longest delay of setTimeout (2^31 - 1 ms, almost 25 days). A timer with a longer delay fires immediately. */
const MAX_TIMEOUT_MS = 2_147_483_647;

function sleepOn(clock: Pick<Clock, 'schedule'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * The wall clock. A pending timer keeps the process alive, because an execution waits for the timer. A delay has its full length even when
 * the wall clock is set meanwhile.
 */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleepOn(realClock, ms, signal),
  schedule(ms, callback) {
    const due = Date.now() + ms;
    const dueSteady = performance.now() + ms;
    // Timers may fire a millisecond early and cannot be longer than 25 days, so the clock is checked again.
    const left = () => {
      const steady = dueSteady - performance.now();
      const wall = due - Date.now();
      return Math.abs(wall - steady) < MAX_DRIFT_MS ? wall : steady;
    };
    let timer: NodeJS.Timeout;
    const arm = () => {
      const wait = Math.min(Math.max(0, left()), MAX_TIMEOUT_MS);
      timer = setTimeout(() => (left() <= 0 ? callback() : arm()), wait);
    };
    arm();
    return () => clearTimeout(timer);
  },
  busy: work => work(),
};

interface Timer {
  readonly due: number;
  readonly sequence: number;
  readonly callback: () => void;
}

interface Hold {
  sleeping: number;
}

/**
 * clock → the busy work to which the running code belongs. All clocks share one storage: before Node 24, every storage that was ever used
 * permanently slows down each promise of the process.
 */
const holds = new AsyncLocalStorage<ReadonlyMap<Clock, Hold>>();

/**
 * A clock for tests that stands still while anything runs and then jumps to the next timer: ten minutes of backoff take milliseconds, and
 * the same program always sees the same times.
 *
 * "Nothing runs" means: the microtask queue is empty, and all `busy` work sleeps on this clock. The clock does not see real work outside of
 * `busy`, and may jump over such work. Work inside `busy` that never ends stops time.
 */
export class VirtualClock implements Clock {
  #now: number;
  #sequence = 0;
  #awake = 0;
  #checkPending = false;
  /** The timer that is due first is the last element. */
  readonly #timers: Timer[] = [];

  /** @param startMs epoch milliseconds to begin at */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const hold = holds.getStore()?.get(this);
    if (hold === undefined) return sleepOn(this, ms, signal);
    // Busy work that sleeps on this clock does not stop this clock.
    if (hold.sleeping++ === 0) this.#changeAwake(-1);
    try {
      await sleepOn(this, ms, signal);
    } finally {
      if (--hold.sleeping === 0) this.#changeAwake(1);
    }
  }

  schedule(ms: number, callback: () => void): CancelTimer {
    const timer: Timer = {
      due: this.#now + Math.max(0, ms),
      sequence: this.#sequence++,
      callback: AsyncLocalStorage.bind(callback), // The callback belongs to its scheduler, not to the work that advances time.
    };
    this.#timers.splice(this.#indexOf(timer), 0, timer);
    this.#check();
    return () => {
      const index = this.#indexOf(timer);
      if (this.#timers[index] === timer) this.#timers.splice(index, 1);
    };
  }

  async busy<T>(work: () => Promise<T>): Promise<T> {
    const hold: Hold = { sleeping: 0 };
    this.#changeAwake(1);
    try {
      return await holds.run(new Map(holds.getStore()).set(this, hold), work);
    } finally {
      if (hold.sleeping === 0) this.#changeAwake(-1);
      // Later sleeps of ended work must not change `#awake`.
      hold.sleeping = Number.POSITIVE_INFINITY;
    }
  }

  #changeAwake(by: number): void {
    this.#awake += by;
    this.#check();
  }

  #check(): void {
    if (this.#checkPending || this.#awake > 0 || this.#timers.length === 0) return;
    this.#checkPending = true;
    // Immediates run after all microtasks, so everything that can run without time passing has run.
    immediately(() => {
      this.#checkPending = false;
      if (this.#awake > 0) return;
      const timer = this.#timers.pop();
      if (timer === undefined) return;
      this.#now = Math.max(this.#now, timer.due);
      timer.callback();
      this.#check();
    });
  }

  #indexOf({ due, sequence }: Timer): number {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#timers[middle];
      const isLater =
        other !== undefined && (other.due > due || (other.due === due && other.sequence > sequence));
      if (isLater) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
