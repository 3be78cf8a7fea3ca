import { AsyncLocalStorage } from 'node:async_hooks';

/** Cancels a scheduled callback; does nothing after the callback has run. */
export type CancelTimer = () => void;

/** Clock of executions, timers and the API. Times are epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves `ms` milliseconds later (immediately for 0 or less); rejects with `signal.reason` when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  schedule(ms: number, callback: () => void): CancelTimer;
  /**
   * Runs work that takes real time, such as an HTTP request. A virtual clock stands still until all such work has ended or sleeps on the
   * clock.
   */
  busy<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Limit of the wall clock's drift from `performance.now()` since a timer's start, milliseconds. From this limit on, the timer uses
 * `performance.now()`, because somebody has set the wall clock.
 */
const MAX_DRIFT_MS = 1_000;

/** Node's setImmediate, saved at import: a test framework may later install a fake, and a fake would stop every virtual clock forever. */
const immediately = setImmediate;

/** Lets other work of this thread run: timers, I/O, signals. A virtual clock stands still during this pause. */
export const giveWay = (clock: Clock): Promise<void> =>
  clock.busy(() => new Promise(resolve => immediately(resolve)));

/** Longest delay of setTimeout, milliseconds (2^31 - 1, almost 25 days). Node fires a timer with a longer delay immediately. */
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
 * The wall clock. When a program sets the wall clock, a running delay changes by less than a second. A pending timer keeps the process
 * alive.
 */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleepOn(realClock, ms, signal),
  schedule(ms, callback) {
    const due = Date.now() + ms;
    const dueSteady = performance.now() + ms;
    // A timer of Node may fire a millisecond early, and waits at most 25 days. So the next timer waits for the time that is left.
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
 * All clocks share one AsyncLocalStorage: before Node 24, every AsyncLocalStorage that was ever used slows down all promises of the
 * process.
 */
const holds = new AsyncLocalStorage<ReadonlyMap<Clock, Hold>>();

/**
 * A clock for tests. The clock stands still while code runs, and then jumps to the next timer. The clock does not see I/O outside of
 * `busy`, and may jump before such I/O ends. `busy` work that never ends stops the clock.
 */
export class VirtualClock implements Clock {
  #now: number;
  #sequence = 0;
  #awake = 0;
  #checkPending = false;
  /** Sorted by time, the earliest timer last, so that `pop` takes the earliest timer. */
  readonly #timers: Timer[] = [];

  /** @param startMs first time of the clock, epoch milliseconds */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const hold = holds.getStore()?.get(this);
    if (hold === undefined) return sleepOn(this, ms, signal);
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
      callback: AsyncLocalStorage.bind(callback), // The callback runs in the async context of the code that called `schedule`.
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
      // The work has ended, but its code may still sleep later. With this value, such a sleep does not change `#awake`.
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
    // `setImmediate` calls back after all microtasks: then all code that waits only for promises has run, and the clock may go to the next
    // timer.
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
