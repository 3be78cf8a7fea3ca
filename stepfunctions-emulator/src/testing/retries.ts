/** One retry of a state. */
export interface RetryRecord {
  readonly state: string;
  /** 1 for the first retry of a visit of the state. */
  readonly retry: number;
  /** Delay before it, with its jitter. */
  readonly ms: number;
  /** The error that it follows. */
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly executionArn: string;
}
