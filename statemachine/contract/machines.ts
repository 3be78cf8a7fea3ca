/** The state machines, the functions that their states call, their errors, and their time limits. */

/** The four functions of a sweep, each by the name of the first state that calls it. */
export const TASKS = {
  PlanSweep: 'plan-sweep',
  QueryExpired: 'query-expired',
  DeleteChunk: 'delete-chunk',
  RecordMetrics: 'record-metrics',
} as const;

export type TaskName = keyof typeof TASKS;

/** Name of the error of an execution that leaves expired items. Its cause has the reports by table, as JSON. */
export const SWEEP_INCOMPLETE = 'SweepIncompleteError';

/** TimeoutSeconds of the tick, below the five minutes of an Express execution. */
export const TICK_TIMEOUT_SECONDS = 290;

/**
 * Time limit of an execution of the replay machine, seconds. The functions and the children end by themselves; this limit is for failures
 * such as a Map Run that never starts. A replay may take hours. Without the limit an execution could run for a year. Source: Step Functions
 * quotas.
 */
export const EXECUTION_TIMEOUT_SECONDS = 86_400;

/** Time limits of the functions, seconds; a task's own limit is never above its function's. */
export const FUNCTION_TIMEOUT_SECONDS: Readonly<Record<TaskName, number>> = {
  PlanSweep: 120,
  QueryExpired: 10,
  DeleteChunk: 15,
  RecordMetrics: 15,
};

/**
 * Time limits of a child's tasks during its upcoming minute, seconds: a call that hangs must not delay the items of the next seconds. After
 * a timeout a query is repeated, and the next page finds the keys of a delete.
 */
const PRECISE_TIMEOUT_SECONDS = { QueryExpired: 3, DeleteChunk: 2 } as const;

/** Time limits of a child's tasks, seconds. @param upcomingFrom start of its upcoming minute; null: it has none */
export function childTimeouts(
  upcomingFrom: number | null,
): Pick<typeof FUNCTION_TIMEOUT_SECONDS, 'QueryExpired' | 'DeleteChunk'> {
  return upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS;
}

/** Name of the error when DynamoDB throttles, or is unavailable for a short time. */
export const BUSY = 'DynamoDbBusyError';

/** Name of the error when the account's limit of concurrent functions is reached. */
export const REFUSED = 'Lambda.TooManyRequestsException';

/** Name of the error of a delete in a paused table: its child ends. */
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
  // The function's process died or timed out; every function can be called again.
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  // The task timed out.
  'States.Timeout',
];

/**
 * The two state machines of a deployment. The tick sweeps all tables in one round of at most five minutes; a replay sweeps a span of one
 * table, in as many rounds as needed.
 */
export const MACHINES = ['tick', 'replay'] as const;

export type MachineName = (typeof MACHINES)[number];
