import type { TaskName } from './contract.ts';
import { jsonata } from './jsonata.ts';

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

/** What the definition is made from, besides the functions. */
export interface DefinitionOptions extends SweepOptions {
  /** AWS's partition, or a Terraform reference to it: GovCloud and China have their own. @default 'aws' */
  readonly partition?: string;
}

/** Counts that every chunk reports and that are added up from there to the execution's report. */
export const CHUNK_COUNTS = ['deleted', 'renewed', 'alreadyGone', 'retries'] as const;

/** DynamoDB throttles, or is briefly unavailable. */
const BUSY_ERROR = 'DynamoDbBusyError';

/** Errors of Lambda after which the same call may succeed. Never `States.ALL`: a wrong input stays wrong. */
const TRANSIENT_ERRORS = [
  'Lambda.ClientExecutionTimeoutException',
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

/**
 * What a child tries again. It does so in loops that look at its age before each attempt, not by Retry, which would go on
 * until Step Functions ends the child at 300 seconds and everything it counted is lost.
 */
export const ERRORS_TO_TRY_AGAIN = [BUSY_ERROR, ...TRANSIENT_ERRORS];

/** A throttled table is waited for: on average for a minute and a half, which is longer than it takes to scale. */
const BUSY_RETRY = {
  ErrorEquals: [BUSY_ERROR],
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

/** Retries of a task of the parent, whose time is not limited. */
export const PATIENT_RETRY = [BUSY_RETRY, TRANSIENT_RETRY];

/** A Task that calls a function; the caller adds Retry, Output, Catch and Next. */
export function invokeTask(
  functionArn: string,
  { partition = 'aws' }: DefinitionOptions,
  payload: Readonly<Record<string, string>>,
) {
  return {
    Type: 'Task',
    Resource: `arn:${partition}:states:::lambda:invoke`,
    Arguments: { FunctionName: functionArn, Payload: payload },
  };
}

/**
 * The moment until which an attempt waits, epoch milliseconds as a JSONata expression: the upper bound of the wait doubles
 * per attempt up to a cap, and the wait is a random share of it ("full jitter"), so that what was throttled together does
 * not come back together.
 *
 * @param attempts JSONata expression: attempts made so far, 1 at the first wait
 */
export function backoffMillis(
  attempts: string,
  { backoffBaseSeconds, backoffCapSeconds }: SweepOptions,
): string {
  const bound = `$min([${backoffCapSeconds}, ${backoffBaseSeconds} * $power(2, ${attempts} - 1)])`;
  return `($millis() + $round($random() * 1000 * ${bound}))`;
}

/** {@link backoffMillis} for a Wait. A timestamp, since Seconds takes whole ones only and the first waits should be shorter. */
export function backoffTimestamp(attempts: string, options: SweepOptions): string {
  return jsonata(`$fromMillis(${backoffMillis(attempts, options)})`);
}
