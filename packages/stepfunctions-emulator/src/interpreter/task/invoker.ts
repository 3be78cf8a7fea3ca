interface Measured {
  /** Duration to bill, milliseconds. @default the duration on the engine's clock */
  readonly durationMs?: number;
  /** Memory of the function, MB. @default Lambda's smallest memory */
  readonly memoryMb?: number;
}

export type FunctionResult = Measured &
  (
    | {
        readonly ok: true;
        /** The value that the function returned; undefined counts as null. */
        readonly payload: unknown;
        /** The version of the function that ran. @default `$LATEST` */
        readonly executedVersion?: string;
      }
    | {
        readonly ok: false;
        /** The error name that Retry and Catch see, such as the class of the thrown error or `Lambda.Unknown`. */
        readonly errorType: string;
        readonly errorMessage: string;
        /**
         * The whole error object of the function (`errorMessage`, `errorType`, `trace` or `stackTrace`, `requestId`), or the text of
         * Lambda's own error. @default made from `errorType` and `errorMessage`
         */
        readonly cause?: unknown;
      }
  );

export interface CallSite {
  readonly executionArn: string;
  readonly state: string;
  /** Id of the StateEntered event. All attempts of one visit have the same id. */
  readonly enteredEventId: number;
}

export interface InvokeOptions {
  /** Aborted when the call has ended: with a result, by a timeout, or because the execution, branch or iteration was cancelled. */
  readonly signal: AbortSignal;
  /** TimeoutSeconds of the Task, if any, in milliseconds. The engine ends the call then, even if the invoker does nothing. */
  readonly timeoutMs?: number;
  /**
   * Adds the use of another service by a Lambda function to `billing.usage` of the execution, even after the Task has timed out.
   * @param counter any name, such as `s3Requests`
   */
  readonly onUsage?: (counter: string, amount: number) => void;
  readonly site?: CallSite;
}

/** Calls functions. An error of the function must be a result with `ok: false`: a rejection counts as the error `Lambda.Unknown`. */
export interface FunctionInvoker {
  /** @param payload the event of the function: a fresh copy, which the function may change */
  invoke(functionArn: string, payload: unknown, options: InvokeOptions): Promise<FunctionResult>;
}
