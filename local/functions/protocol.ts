/** Messages between the pool and a worker. Payloads are JSON text, as they are between Lambda and a function. */

export interface WorkerSetup {
  readonly file: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
}

export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  /** X-Amzn-Trace-Id of the function's AWS requests: shows which invocation sent a request. */
  readonly traceId: string;
  /** Time at which the worker will be ended, epoch milliseconds. */
  readonly deadline: number;
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
