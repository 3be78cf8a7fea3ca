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
  /** Event id of the state's entry. All attempts of one visit have the same id. */
  readonly enteredEventId: number;
}

export interface InvokeOptions {
  /** Aborted when the call has ended: with a result, by a timeout, or because the execution, branch or iteration was cancelled. */
  readonly signal: AbortSignal;
  /** TimeoutSeconds of the task, if any, milliseconds. The engine enforces the timeout as well. */
  readonly timeoutMs?: number;
  /**
   * Adds the function's use of other services to `billing.usage` of the execution, if the invoker knows the use. Use counts even after the
   * task has timed out.
   * @param counter any name, such as `s3Requests`
   */
  readonly onUsage?: (counter: string, amount: number) => void;
  readonly site?: CallSite;
}

/** Calls functions. Return an error of the function as a result: a rejection counts as `Lambda.Unknown`. */
export interface FunctionInvoker {
  /** @param payload the event: a fresh copy that the function may change */
  invoke(functionArn: string, payload: unknown, options: InvokeOptions): Promise<FunctionResult>;
}
