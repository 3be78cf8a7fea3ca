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

/**
 * Works through `tasks` in their order, some at a time.
 *
 * Resolves when the signal aborts, with the results so far. The first error stops all other tasks and is thrown.
 */
export async function inParallel<T, R>(
  tasks: readonly T[],
  concurrency: number,
  work: (task: T, signal: AbortSignal) => Promise<R>,
  signal: AbortSignal,
): Promise<R[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const results: R[] = [];
  const waiting = [...tasks];
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined && !either.aborted; task = waiting.shift()) {
      try {
        results.push(await work(task, either));
      } catch (error) {
        if (either.aborted) return; // aborted by the signal
        failed.abort(error);
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const rejected = workers.find(outcome => outcome.status === 'rejected');
  if (rejected !== undefined) throw rejected.reason;
  return results;
}

/** Waits for work, but throws the signal's reason as soon as the signal aborts. */
export async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
