import type { TaskName } from './contract.ts';

/** What the parts of the definition share: options, retries and the shape of a task. */

/** ARNs of the functions, or Terraform references to them. */
export type FunctionArns = Readonly<Record<TaskName, string>>;

/** How hard the sweep works. Every value has its default in the construct's props. */
export interface SweepOptions {
  /** Children that look back (one per window and shard) at once; 0 = as many as Step Functions runs. */
  readonly shardConcurrency: number;
  /** Chunks of 25 keys at once within a child. */
  readonly chunkConcurrency: number;
  /** Calls of DeleteChunk for one chunk, the first included. */
  readonly deleteAttempts: number;
  /** Upper bound of the first wait for capacity, seconds; it doubles from attempt to attempt. */
  readonly backoffBaseSeconds: number;
  /** Upper bound of every wait for capacity, seconds. */
  readonly backoffCapSeconds: number;
}

/** Counts that every chunk reports and that are added up from there to the execution's report. */
export const CHUNK_COUNTS = ['deleted', 'renewed', 'alreadyGone', 'retries'] as const;

/** Errors after which the same call may succeed. Never `States.ALL`: a wrong input stays wrong. */
const TRANSIENT_ERRORS = [
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ServiceException',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  // The function's process died or ran out of time; every function can be called again.
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
];

/** A throttled table is waited for: on average for a minute and a half, which is longer than it takes to scale. */
const BUSY_RETRY = {
  ErrorEquals: ['DynamoDbBusyError'],
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 20,
  MaxDelaySeconds: 10,
  JitterStrategy: 'FULL',
};

const TRANSIENT_RETRY = {
  ErrorEquals: TRANSIENT_ERRORS,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 5,
  MaxDelaySeconds: 10,
  JitterStrategy: 'FULL',
};

/** A Task that calls a function, with retries; the caller adds Output, Catch and Next. */
export function invokeTask(functionArn: string, payload: Readonly<Record<string, string>>) {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    Arguments: { FunctionName: functionArn, Payload: payload },
    Retry: [BUSY_RETRY, TRANSIENT_RETRY],
  };
}
