/** The state machines, the functions that their states call, the errors of both, and their time limits. */

/** The four functions, by the name of the state that calls them. */
export const TASKS = {
  PlanSweep: 'plan-sweep',
  QueryExpired: 'query-expired',
  DeleteChunk: 'delete-chunk',
  RecordMetrics: 'record-metrics',
} as const;

export type TaskName = keyof typeof TASKS;

/** The error an execution ends with when expired items are left; its cause is a {@link SweepReport} as JSON. */
export const SWEEP_INCOMPLETE = 'SweepIncompleteError';

/** TimeoutSeconds of the tick, below the five minutes of an Express execution. */
export const TICK_TIMEOUT_SECONDS = 290;

/**
 * Time limit of an execution, seconds. The functions and the children end by themselves; this is for what does not, such as a Map Run
 * that is kept waiting. A tick takes two minutes, and a replay or a sweep with a limit may take hours. Without it an execution runs
 * for a year. Source: Step Functions quotas.
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
 * Time limits of a child's tasks while its upcoming minute is on, seconds: a call that hangs must not keep the items of
 * the next seconds waiting. Its chunk is deferred, its query made again.
 */
export const PRECISE_TIMEOUT_SECONDS = { QueryExpired: 3, DeleteChunk: 2 } as const;

/** Time limit of a query that the machine makes itself, seconds: QueryExpired makes it again. */
export const POLL_TIMEOUT_SECONDS = 1;

/** DynamoDB throttles, or is briefly unavailable. */
export const BUSY = 'DynamoDbBusyError';

/** Lambda runs as many functions at once as the account may, and refuses the call. */
export const REFUSED = 'Lambda.TooManyRequestsException';

/** Errors of a call after which the same call may succeed. Never `States.ALL`: a wrong input stays wrong. */
export const TRANSIENT_ERRORS: readonly string[] = [
  BUSY,
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  REFUSED,
  'Lambda.Unknown',
  // The function's process died or ran out of time; every function can be called again.
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  // The task's own time limit.
  'States.Timeout',
];

/**
 * The two state machines of a deployment. The tick sweeps all tables in one round of at most five minutes, and hands over what it cannot
 * finish; a replay sweeps one table, in as many rounds as it takes.
 */
export const MACHINES = ['tick', 'replay'] as const;

export type MachineName = (typeof MACHINES)[number];
