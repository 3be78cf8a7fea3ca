export const TASKS = {
  PlanSweep: 'plan-sweep',
  QueryExpired: 'query-expired',
  DeleteChunk: 'delete-chunk',
  RecordMetrics: 'record-metrics',
} as const;

export type TaskName = keyof typeof TASKS;
export type FunctionArns = Readonly<Record<TaskName, string>>;

export const SWEEP_INCOMPLETE = 'SweepIncompleteError';

/** Timeout of a tick: less than the 300 seconds that an Express execution may last. Source: Step Functions quotas. */
export const TICK_TIMEOUT_SECONDS = 290;

/**
 * Timeout of a replay. Ends a replay that hangs, for example because its Map Run never starts; a Standard execution could run for a year.
 * Source: Step Functions quotas.
 */
export const EXECUTION_TIMEOUT_SECONDS = 86_400;

export const FUNCTION_TIMEOUT_SECONDS: Readonly<Record<TaskName, number>> = {
  PlanSweep: 120,
  QueryExpired: 10,
  DeleteChunk: 15,
  RecordMetrics: 15,
};

/** Timeouts of the tasks of a child with an upcoming minute. A call that hangs must not delay items that expire in the next seconds. */
const PRECISE_TIMEOUT_SECONDS = { QueryExpired: 3, DeleteChunk: 2 } as const;

export function childTimeouts(
  upcomingFrom: number | null,
): Pick<typeof FUNCTION_TIMEOUT_SECONDS, 'QueryExpired' | 'DeleteChunk'> {
  return upcomingFrom === null ? FUNCTION_TIMEOUT_SECONDS : PRECISE_TIMEOUT_SECONDS;
}

export const BUSY = 'DynamoDbBusyError';

export const REFUSED = 'Lambda.TooManyRequestsException';

export const PAUSED = 'TablePausedError';

/** After these errors a second call may succeed, and does no harm. `States.ALL` would also repeat calls with a wrong input, in vain. */
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
