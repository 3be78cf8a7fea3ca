export const TASKS = {
  PlanSweep: 'plan-sweep',
  QueryExpired: 'query-expired',
  DeleteChunk: 'delete-chunk',
  RecordMetrics: 'record-metrics',
} as const;

export type TaskName = keyof typeof TASKS;

export const SWEEP_INCOMPLETE = 'SweepIncompleteError';

/** Less than the five minutes of an Express execution. */
export const TICK_TIMEOUT_SECONDS = 290;

/**
 * A replay may take hours, and its functions and children end by themselves. The limit is for failures such as a Map Run that never starts.
 * Without a limit such an execution could run for a year. Source: Step Functions quotas.
 */
export const EXECUTION_TIMEOUT_SECONDS = 86_400;

export const FUNCTION_TIMEOUT_SECONDS: Readonly<Record<TaskName, number>> = {
  PlanSweep: 120,
  QueryExpired: 10,
  DeleteChunk: 15,
  RecordMetrics: 15,
};

/**
 * Time limits of a child's tasks during its upcoming minute. A call that hangs must not delay the items of the next seconds. A query that
 * times out is repeated; the next page has the keys of a delete that timed out.
 */
const PRECISE_TIMEOUT_SECONDS = { QueryExpired: 3, DeleteChunk: 2 } as const;

export function childTimeouts(
  upcomingFrom: number | null,
): Pick<typeof FUNCTION_TIMEOUT_SECONDS, 'QueryExpired' | 'DeleteChunk'> {
  return upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS;
}

export const BUSY = 'DynamoDbBusyError';

export const REFUSED = 'Lambda.TooManyRequestsException';

export const PAUSED = 'TablePausedError';

/** After these errors a second call may succeed, and is harmless for any function. `States.ALL` is left out: a wrong input stays wrong. */
export const TRANSIENT_ERRORS: readonly string[] = [
  BUSY,
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  REFUSED,
  'Lambda.Unknown',
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  'States.Timeout',
];

export const MACHINES = ['tick', 'replay'] as const;

export type MachineName = (typeof MACHINES)[number];
