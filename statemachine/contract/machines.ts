/** The functions of a sweep, each by the name of the first state that calls it. */
export const TASKS = {
  PlanSweep: 'plan-sweep',
  QueryExpired: 'query-expired',
  DeleteChunk: 'delete-chunk',
  RecordMetrics: 'record-metrics',
} as const;

export type TaskName = keyof typeof TASKS;

/** The error of an execution that leaves expired items. Its cause has the reports by table, as JSON. */
export const SWEEP_INCOMPLETE = 'SweepIncompleteError';

/** This limit is below the five minutes of an Express execution. */
export const TICK_TIMEOUT_SECONDS = 290;

/**
 * Time limit of an execution of the replay machine, which may take hours. The functions and the children end by themselves; the limit is
 * for failures such as a Map Run that never starts. Without a limit such an execution could run for a year. Source: Step Functions quotas.
 */
export const EXECUTION_TIMEOUT_SECONDS = 86_400;

/** A task's own time limit is never above its function's. */
export const FUNCTION_TIMEOUT_SECONDS: Readonly<Record<TaskName, number>> = {
  PlanSweep: 120,
  QueryExpired: 10,
  DeleteChunk: 15,
  RecordMetrics: 15,
};

/**
 * Time limits of a child's tasks during its upcoming minute: a call that hangs must not delay the items of the next seconds. After a
 * timeout a query is repeated, and the next page finds the keys of a delete that timed out.
 */
const PRECISE_TIMEOUT_SECONDS = { QueryExpired: 3, DeleteChunk: 2 } as const;

export function childTimeouts(
  upcomingFrom: number | null,
): Pick<typeof FUNCTION_TIMEOUT_SECONDS, 'QueryExpired' | 'DeleteChunk'> {
  return upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS;
}

export const BUSY = 'DynamoDbBusyError';

/** The error when the account's limit of concurrent functions is reached. */
export const REFUSED = 'Lambda.TooManyRequestsException';

export const PAUSED = 'TablePausedError';

/** Errors after which a repeated call may succeed. `States.ALL` is not among them: a wrong input stays wrong. */
export const TRANSIENT_ERRORS: readonly string[] = [
  BUSY,
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  REFUSED,
  'Lambda.Unknown',
  // The function's process died or timed out. A second call of any function is harmless.
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  'States.Timeout',
];

/** The tick sweeps all tables in one round of at most five minutes. A replay sweeps a span of one table, in as many rounds as needed. */
export const MACHINES = ['tick', 'replay'] as const;

export type MachineName = (typeof MACHINES)[number];
