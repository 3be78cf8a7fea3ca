/** How an execution stands, as DescribeExecution says it. */
export interface ExecutionState {
  readonly status: string;
  readonly startedAt?: Date | undefined;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}
