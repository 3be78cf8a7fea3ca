import { availableParallelism } from 'node:os';
import {
  type Ending,
  Environment,
  type EnvironmentOptions,
  failure,
  type Outcome,
  STOPPING,
} from './environment.ts';

export interface PoolOptions extends EnvironmentOptions {
  /** Most invocations at a time; further ones wait in line. */
  readonly maxWorkers: number;
}

/**
 * Most threads that load their module at a time. Loading is all processor time, so more would only make the first
 * one late, which by then could have answered half the line.
 */
const MAX_LOADING = Math.max(1, availableParallelism());

interface Waiting {
  readonly payload: string;
  readonly traceId: string;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * The execution environments of one function. A thread that exits, crashes or hangs fails the invocation it was
 * running and nothing else, and is replaced when needed.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #environments = new Set<Environment>();
  /** The one used last comes first, so that few stay warm under little load, as on Lambda. */
  readonly #idle: Environment[] = [];
  readonly #queue: Waiting[] = [];
  #loading = 0;
  #stopped = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Invokes the function. Never rejects: every way an invocation can fail is an outcome.
   *
   * @param payload JSON text
   * @param traceId names the invocation in the calls of its AWS clients
   * @param signal takes an invocation that is still waiting for a thread out of the line. One that runs goes on,
   *   as it does on Lambda when its caller has gone away.
   */
  invoke(payload: string, traceId: string, signal?: AbortSignal): Promise<Outcome> {
    return new Promise(resolve => {
      const leave = () => {
        const at = this.#queue.indexOf(waiting);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        waiting.settle(neverRan(ABORTED));
      };
      const waiting: Waiting = {
        payload,
        traceId,
        settle: outcome => {
          signal?.removeEventListener('abort', leave);
          resolve(outcome);
        },
      };
      this.#queue.push(waiting);
      signal?.addEventListener('abort', leave);
      if (signal?.aborted) leave();
      this.#dispatch();
    });
  }

  /** Loads the module in so many threads, ahead of the first invocation. */
  warm(threads: number): void {
    const wanted = Math.min(threads, this.#options.maxWorkers);
    while (this.#environments.size < wanted && !this.#stopped) this.#add();
  }

  /** Ends every thread; running and waiting invocations fail. Safe to call more than once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const waiting of this.#queue.splice(0)) waiting.settle(neverRan(STOPPING));
    await Promise.all([...this.#environments].map(environment => environment.end()));
  }

  #dispatch(): void {
    if (this.#stopped) {
      for (const waiting of this.#queue.splice(0)) waiting.settle(neverRan(STOPPING));
      return;
    }
    while (this.#queue.length > 0) {
      const environment = this.#idle.pop();
      if (environment === undefined) break;
      // One that failed while nobody used it is on its way out.
      if (!environment.usable) continue;
      const waiting = this.#queue.shift();
      if (waiting !== undefined) void this.#run(environment, waiting);
    }
    while (
      this.#queue.length > this.#loading &&
      this.#loading < MAX_LOADING &&
      this.#environments.size < this.#options.maxWorkers
    ) {
      this.#add();
    }
  }

  async #run(environment: Environment, { payload, traceId, settle }: Waiting): Promise<void> {
    const outcome = await environment.run(payload, traceId);
    if (environment.usable) this.#idle.push(environment);
    settle(outcome);
    this.#dispatch();
  }

  #add(): void {
    this.#loading += 1;
    const environment = new Environment(this.#options, {
      onReady: () => {
        this.#loading -= 1;
        this.#idle.push(environment);
        this.#dispatch();
      },
      onLoadFailed: ending => {
        this.#loading -= 1;
        // Whoever has waited longest gets to know.
        this.#queue.shift()?.settle(neverRan(ending));
      },
      onGone: () => {
        this.#environments.delete(environment);
        this.#dispatch();
      },
    });
    this.#environments.add(environment);
  }
}

const ABORTED = failure('Local.Aborted', 'The caller went away before the invocation started.');

function neverRan(ending: Ending): Outcome {
  return { ...ending, durationMs: 0 };
}
