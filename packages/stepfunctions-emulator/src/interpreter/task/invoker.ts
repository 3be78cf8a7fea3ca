interface Measured {
  /** Milliseconds to bill; measured by the engine's clock when absent. */
  readonly durationMs?: number;
  /** Memory of the function; Lambda's smallest when absent. */
  readonly memoryMb?: number;
}

export type FunctionResult = Measured &
  (
    | {
        readonly ok: true;
        /** The value that the function returned; undefined counts as null. */
        readonly payload: unknown;
        /** The version that ran; `$LATEST` when absent. */
        readonly executedVersion?: string;
      }
    | {
        readonly ok: false;
        /** The error name that Retry and Catch see: the class of the thrown error, `Lambda.Unknown`, … */
        readonly errorType: string;
        readonly errorMessage: string;
        /**
         * The whole error payload of the function (`errorMessage`, `errorType`, `trace` or `stackTrace`, `requestId`), or the text of
         * Lambda's own answer. @default made from the two fields above
         */
        readonly cause?: unknown;
      }
  );

export interface CallSite {
  readonly executionArn: string;
  readonly mapRunArn?: string | undefined;
  readonly state: string;
  /** Event id of the state's entry: the attempts of one visit share it. */
  readonly enteredEventId: number;
}

export interface InvokeOptions {
  /** Aborted when the result is no longer needed: the task timed out or the execution was stopped. */
  readonly signal: AbortSignal;
  /** TimeoutSeconds of the task, if any, milliseconds. The engine enforces it as well. */
  readonly timeoutMs?: number;
  /**
   * Adds to `billing.usage` of the execution: the function's use of other services, if the invoker knows it. It counts even after the task
   * has timed out.
   * @param counter any name, such as `s3Requests`
   */
  readonly onUsage?: (counter: string, amount: number) => void;
  readonly site?: CallSite;
}

/** Calls functions. A rejection counts as `Lambda.Unknown`: return an error that the function threw as a result. */
export interface FunctionInvoker {
  /** @param payload the event: a fresh copy that the function may change */
  invoke(functionArn: string, payload: unknown, options: InvokeOptions): Promise<FunctionResult>;
}
