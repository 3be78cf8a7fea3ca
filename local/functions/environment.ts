import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { ErrorPayload, Invocation, WorkerMessage, WorkerSetup } from './worker.ts';

export type Outcome = Ending & { readonly durationMs: number; readonly lines: readonly string[] };

export type Ending =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: ErrorPayload };

export interface EnvironmentOptions {
  readonly program: string;
  readonly setup: WorkerSetup;
  readonly variables: Readonly<Record<string, string>>;
  /** Time limit of an invocation, without the time to load the function's code, milliseconds. */
  readonly timeoutMs: number;
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface EnvironmentEvents {
  readonly onReady: () => void;
  /** Called before {@link onGone} if the thread ends before the function's code is loaded. `outcome` has the error. */
  readonly onLoadFailed: (outcome: Outcome) => void;
  readonly onGone: () => void;
}

const LOAD_TIMEOUT_MS = 10_000;
/** Size of a thread's heap for new objects, MB. With V8's default each thread would fill 96 MB before its first garbage collection. */
const YOUNG_GENERATION_MB = 12;
const KEPT_LINES = 20;
const KEPT_LINE_LENGTH = 2_000;

interface Running {
  readonly requestId: string;
  readonly sentAt: number;
  readonly settle: (outcome: Outcome) => void;
}

/** One execution environment of a function: a worker thread that runs one invocation at a time. */
export class Environment {
  readonly #options: EnvironmentOptions;
  readonly #events: EnvironmentEvents;
  readonly #worker: Worker;
  #state: 'loading' | 'usable' | 'gone' = 'loading';
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The error after a timeout of loading or of an invocation. It is reported when the thread has ended. */
  #timedOut: Ending | undefined;
  #partialLine = '';
  #lines: string[] = [];

  constructor(options: EnvironmentOptions, events: EnvironmentEvents) {
    this.#options = options;
    this.#events = events;
    this.#worker = new Worker(options.program, {
      workerData: options.setup,
      env: options.variables,
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: options.setup.memoryMb,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
      name: options.setup.functionName,
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', error => this.#crashed(error));
    this.#worker.once('exit', code => this.#exited(code));
    this.#limit(LOAD_TIMEOUT_MS, seconds => `Init phase timed out after ${seconds} seconds`);
  }

  get usable(): boolean {
    return this.#state === 'usable';
  }

  /**
   * Runs one invocation; only for an environment that is usable and idle. Never rejects.
   *
   * @param payload JSON text
   */
  run(payload: string, traceId: string): Promise<Outcome> {
    return new Promise(settle => {
      const requestId = randomUUID();
      this.#running = { requestId, sentAt: performance.now(), settle };
      this.#lines = [];
      this.#worker.ref();
      const { timeoutMs } = this.#options;
      this.#limit(timeoutMs, seconds => `Task timed out after ${seconds} seconds`);
      const invocation: Invocation = { requestId, payload, traceId, deadline: Date.now() + timeoutMs };
      this.#worker.postMessage(invocation);
    });
  }

  async end(): Promise<void> {
    this.#finish(STOPPING);
    await this.#worker.terminate();
  }

  #limit(milliseconds: number, text: (seconds: string) => string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timedOut = this.#failed('Sandbox.Timedout', text((milliseconds / 1000).toFixed(2)));
      // The caller gets the error after the thread has ended: the function must do no work after its error is known.
      void this.#worker.terminate();
    }, milliseconds);
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === 'log') {
      this.#print(message.text);
    } else if (message.kind === 'ready') {
      if (this.#state !== 'loading') return;
      clearTimeout(this.#timer);
      this.#state = 'usable';
      this.#worker.unref();
      this.#events.onReady();
    } else {
      this.#flushLine();
      if (message.kind === 'result') this.#settle({ ok: true, payload: message.payload });
      else if (message.fatal) this.#finish({ ok: false, error: message.error });
      else this.#settle({ ok: false, error: message.error });
      if (message.kind === 'failure' && message.fatal) void this.#worker.terminate();
    }
  }

  #crashed(error: unknown): void {
    const outOfMemory = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const text = error instanceof Error ? error.message : String(error);
    this.#finish(
      outOfMemory
        ? this.#failed('Runtime.OutOfMemory', 'Runtime exited with error: signal: killed')
        : this.#failed('Runtime.ExitError', text),
    );
  }

  #exited(code: number): void {
    this.#flushLine();
    const why =
      code === 0
        ? 'Runtime exited without providing a reason'
        : `Runtime exited with error: exit status ${code}`;
    this.#finish(this.#timedOut ?? this.#failed('Runtime.ExitError', why));
    this.#events.onGone();
  }

  #finish(ending: Ending): void {
    const wasLoading = this.#state === 'loading';
    this.#state = 'gone';
    clearTimeout(this.#timer);
    this.#settle(ending);
    if (wasLoading) this.#events.onLoadFailed({ ...ending, durationMs: 0, lines: [...this.#lines] });
  }

  #settle(ending: Ending): void {
    const running = this.#running;
    if (running === undefined) return;
    clearTimeout(this.#timer);
    this.#running = undefined;
    this.#worker.unref();
    running.settle({ ...ending, durationMs: performance.now() - running.sentAt, lines: [...this.#lines] });
  }

  #failed(errorType: string, what: string): Ending {
    return failure(errorType, `RequestId: ${this.#running?.requestId ?? '-'} Error: ${what}`);
  }

  #print(text: string): void {
    const lines = (this.#partialLine + text).split('\n');
    this.#partialLine = lines.pop() ?? '';
    for (const line of lines) this.#printLine(line);
  }

  #flushLine(): void {
    if (this.#partialLine) this.#printLine(this.#partialLine);
    this.#partialLine = '';
  }

  #printLine(line: string): void {
    this.#options.onLine?.(line);
    this.#lines.push(line.slice(0, KEPT_LINE_LENGTH));
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
  }
}

export function failure(errorType: string, errorMessage: string): Ending {
  return { ok: false, error: { errorType, errorMessage } };
}

export const STOPPING = failure('Local.Stopped', 'The local cloud is stopping.');
