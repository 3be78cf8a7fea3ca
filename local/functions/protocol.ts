/** Messages between the pool and a worker. Payloads are JSON text, as they are between Lambda and a function. */

export interface WorkerSetup {
  readonly file: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
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

export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'result'; readonly requestId: string; readonly payload: string }
  | {
      readonly kind: 'failure';
      readonly requestId: string | undefined;
      readonly error: ErrorPayload;
      /** The worker can't be used again: its module didn't load, or an error escaped the handler. */
      readonly fatal: boolean;
    };
