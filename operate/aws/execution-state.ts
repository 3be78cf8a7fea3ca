/** The state of an execution, as in DescribeExecution. */
export interface ExecutionState {
  readonly status: string;
  readonly startedAt?: Date | undefined;
  readonly output?: string | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}
