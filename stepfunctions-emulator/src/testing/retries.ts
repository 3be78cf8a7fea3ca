/** One retry of a state. */
export interface RetryRecord {
  readonly state: string;
  /** Number of the retry in its visit of the state, from 1. */
  readonly retry: number;
  /** Delay before it, with its jitter. */
  readonly ms: number;
  /** Name of the error before the retry. */
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly executionArn: string;
}
