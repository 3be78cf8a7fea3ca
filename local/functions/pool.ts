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
}

/** Largest number of a function's threads that load at a time: one for each processor, because more threads would delay each other. */
const MAX_LOADING = Math.max(1, availableParallelism());

interface Waiting {
  readonly payload: string;
  readonly traceId: string;
  /** ARN of the calling execution; empty if no execution calls. */
  readonly caller: string;
  readonly settle: (outcome: Outcome) => void;
}

/** The execution environments of one function: worker threads. If one exits, crashes or hangs, at most one invocation fails. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #environments = new Set<Environment>();
  readonly #idle: Environment[] = [];
  #queue: Waiting[] = [];
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

  warm(): void {
    if (this.#environments.size === 0 && !this.#stopped) this.#add();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refuseWaiting();
    await Promise.all([...this.#environments].map(environment => environment.end()));
  }

  #dispatch(): void {
    if (this.#stopped) this.#refuseWaiting();
    while (this.#queue.length > 0) {
      const environment = this.#idle.pop();
      if (environment === undefined) break;
      const waiting = environment.usable ? this.#takeNext() : undefined;
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

  /** Takes a call from the queue. Executions take turns, because a tick's call must not wait for the hundreds of calls of a replay. */
  #takeNext(): Waiting | undefined {
    const [next, ...left] = this.#queue;
    const isOfNext = ({ caller }: Waiting) => caller === next?.caller;
    this.#queue = [...left.filter(each => !isOfNext(each)), ...left.filter(isOfNext)];
    return next;
  }

  async #run(environment: Environment, { payload, traceId, settle }: Waiting): Promise<void> {
    settle(await environment.run(payload, traceId));
    this.#idle.push(environment);
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
      onLoadFailed: outcome => {
        this.#loading -= 1;
        this.#queue.shift()?.settle(outcome);
      },
      onGone: () => {
        if (this.#environments.delete(environment)) this.#dispatch();
      },
    });
    this.#environments.add(environment);
  }
}

const ABORTED = failure('Local.Aborted', 'The caller went away before the invocation started.');

function neverRan(ending: Ending): Outcome {
  return { ...ending, durationMs: 0, lines: [] };
}
