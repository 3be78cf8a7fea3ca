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
  readonly maxWorkers: number;
  readonly idleMs: number;
}

/**
 * Largest number of threads that load their module at a time. Loading is work for the processor: more threads would delay the first thread.
 */
const MAX_LOADING = Math.max(1, availableParallelism());

interface Waiting {
  readonly payload: string;
  readonly traceId: string;
  readonly caller: string;
  readonly settle: (outcome: Outcome) => void;
}

interface Resting {
  readonly environment: Environment;
  readonly timer: NodeJS.Timeout;
}

/**
 * The execution environments of one function. A thread that exits, crashes or hangs fails only its own invocation. An idle thread ends
 * after a while.
 */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #environments = new Set<Environment>();
  /** Idle environments. The environment used last is at the end, and is used next: so few environments stay warm under little load. */
  readonly #resting: Resting[] = [];
  readonly #queue: Waiting[] = [];
  readonly #running = new Map<string, number>();
  readonly #ending = new Set<Promise<void>>();
  #loading = 0;
  #stopped = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Never rejects: every failure is an outcome.
   * @param traceId identifies the invocation in AWS requests
   * @param signal cancels only an invocation that waits for a thread
   */
  invoke(payload: string, traceId: string, caller = '', signal?: AbortSignal): Promise<Outcome> {
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
        caller,
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

  warm(threads: number): void {
    const wanted = Math.min(threads, this.#options.maxWorkers);
    while (this.#environments.size < wanted && !this.#stopped) this.#add();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refuseWaiting();
    for (const { timer } of this.#resting.splice(0)) clearTimeout(timer);
    for (const environment of this.#environments) this.#end(environment);
    await Promise.all(this.#ending);
  }

  #dispatch(): void {
    if (this.#stopped) {
      this.#refuseWaiting();
      return;
    }
    while (this.#queue.length > 0) {
      const environment = this.#wake();
      if (environment === undefined) break;
      const waiting = this.#takeNext();
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

  #refuseWaiting(): void {
    for (const waiting of this.#queue.splice(0)) waiting.settle(neverRan(STOPPING));
  }

  /** The hundred calls of one caller must not delay the single call of another caller: on AWS each call has its own environment. */
  #takeNext(): Waiting | undefined {
    const runningOf = ({ caller }: Waiting) => this.#running.get(caller) ?? 0;
    const least = Math.min(...this.#queue.map(runningOf));
    const at = this.#queue.findIndex(waiting => runningOf(waiting) === least);
    return this.#queue.splice(at, 1)[0];
  }

  async #run(environment: Environment, { payload, traceId, caller, settle }: Waiting): Promise<void> {
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
    const outcome = await environment.run(payload, traceId);
    const left = (this.#running.get(caller) ?? 0) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
    this.#rest(environment);
    settle(outcome);
    this.#dispatch();
  }

  #add(): void {
    this.#loading += 1;
    const environment = new Environment(this.#options, {
      onReady: () => {
        this.#loading -= 1;
        this.#rest(environment);
        this.#dispatch();
      },
      onLoadFailed: outcome => {
        this.#loading -= 1;
        // The call that has waited longest receives the failure.
        this.#queue.shift()?.settle(outcome);
      },
      onGone: () => {
        if (!this.#environments.delete(environment)) return;
        this.#forget(environment);
        this.#dispatch();
      },
    });
    this.#environments.add(environment);
  }

  #rest(environment: Environment): void {
    if (!environment.usable || this.#stopped) return;
    const retire = () => {
      this.#forget(environment);
      this.#end(environment);
    };
    this.#resting.push({ environment, timer: setTimeout(retire, this.#options.idleMs).unref() });
  }

  #wake(): Environment | undefined {
    for (;;) {
      const resting = this.#resting.pop();
      if (resting === undefined) return undefined;
      clearTimeout(resting.timer);
      if (resting.environment.usable) return resting.environment;
    }
  }

  #end(environment: Environment): void {
    this.#environments.delete(environment);
    const ended: Promise<void> = environment.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #forget(environment: Environment): void {
    const at = this.#resting.findIndex(resting => resting.environment === environment);
    for (const { timer } of at < 0 ? [] : this.#resting.splice(at, 1)) clearTimeout(timer);
  }
}

const ABORTED = failure('Local.Aborted', 'The caller went away before the invocation started.');

function neverRan(ending: Ending): Outcome {
  return { ...ending, durationMs: 0, lines: [] };
}
