/** Messages between the pool and a worker. Payloads are JSON text, as they are between Lambda and a function. */

/** Sent to a worker at its start. */
export interface WorkerSetup {
  /** Absolute path of the handler's module. */
  readonly file: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** Whether the function has another clock than this machine's. */
  readonly hasOwnClock: boolean;
}

export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  /** The X-Amzn-Trace-Id that the function's AWS clients send, which identifies the invocation of a call. */
  readonly traceId: string;
  /** Time at which the worker will be ended, by this machine's clock, epoch milliseconds. */
  readonly deadline: number;
  /** Number of milliseconds by which the function's clock is ahead of this machine's when the invocation begins. */
  readonly clockAheadMs: number;
}

/** Lambda's description of a failed invocation. */
export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** Text written to stdout or stderr, not split into lines. */
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'result'; readonly requestId: string; readonly payload: string }
  | {
      readonly kind: 'failure';
      readonly requestId: string | undefined;
      readonly error: ErrorPayload;
      /** The worker can't be used again: its module didn't load, or an error escaped the handler. */
      readonly fatal: boolean;
    };
