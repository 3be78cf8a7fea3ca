import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ExpiryEvent } from '../../expiry/expiry-event.ts';
import { PreciseTtlError } from '../../expiry/index.ts';
import type { DeploymentProps, PreciseTtlProps } from '../../stacks/config/props.ts';
import type { SweepInput } from '../../statemachine/contract/inputs.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';

/** An expiry that a pipe has passed on: the event that the pipe's target would get. */
export interface PassedOnExpiry extends ExpiryEvent {
  /** ARN of the pipe's target; for an archive, the ARN of the archive's Firehose stream. */
  readonly target: string;
}

/** The configuration under test: the configuration of a whole deployment, or only of its tables. */
export interface TestedConfig extends DeploymentProps {
  /**
   * Tables, as `defineConfig` accepts them. Tables with `existingTable: true` are also created, with their index. A table that is already
   * in DynamoDB Local must have its index.
   */
  readonly tables: readonly PreciseTtlProps[];
  /** @default the region of the first ARN in `tables`, or 'us-east-1' */
  readonly region?: string;
  /** `state` and `tags` are checked as in a deployment's configuration, but have no effect in a test. */
  readonly state?: object;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface TestOptions {
  /**
   * `virtual`: time advances only in `advance`, `tick` and `sweep`, and without real waiting. `real`: the wall clock.
   * @default 'virtual'
   */
  readonly clock?: 'virtual' | 'real';
  /** Start time of a virtual clock: a Date, epoch milliseconds, or ISO-8601 with a zone. @default now */
  readonly startTime?: Date | number | string;
  /** Whether the schedules fire every minute of the clock, and start ticks. @default true */
  readonly schedules?: boolean;
  /**
   * Endpoint of a running DynamoDB Local, e.g. `http://127.0.0.1:8000`. `stop()` deletes only tables that `startPreciseTtl` created. Tests
   * with different tables may share a DynamoDB Local: each test has its own journal.
   * @default a new DynamoDB Local is started
   */
  readonly dynamoDbEndpoint?: string;
  /** Called with every line that a function logs. @default lines are dropped */
  readonly onLog?: (functionName: string, line: string) => void;
}

/** Clock of the schedules and sweeps. This clock decides whether an item is expired. */
export interface LocalClock {
  readonly kind: 'virtual' | 'real';
  /** Epoch milliseconds. */
  now(): number;
}

export interface LocalPreciseTtl {
  /** The endpoint of DynamoDB Local, e.g. `http://127.0.0.1:8000`. */
  readonly dynamoDbEndpoint: string;
  /** A client for `dynamoDbEndpoint`; `stop()` destroys the client. */
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  /** Environment variables for an application's process that uses this DynamoDB: endpoint, region and fake credentials. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: LocalClock;
  /**
   * Sweeps a table and returns its report. `{ from, to }` sweeps a span of expiry times, as a replay does; `{ scheduledTime }` runs a tick
   * of this table only. A virtual clock advances while an execution waits.
   * @throws {LocalTestError} for a table that is not in the configuration
   * @throws {SweepFailedError} when the sweep does not succeed, with the report
   */
  sweep(tableName: string, input: SweepInput): Promise<SweepReport>;
  /**
   * Runs the tick of the minute `at` to the tick's end, and returns the reports by table name. A tick can take two minutes, because a tick
   * may also delete items that expire in the next minute. A virtual clock that is earlier than `at` first advances to `at`.
   * @param at a Date, epoch milliseconds, or ISO-8601 with a zone. @default the current minute
   * @throws {LocalTestError} for another value of `at`
   * @throws {SweepFailedError} when the tick does not succeed
   */
  tick(at?: Date | number | string): Promise<Readonly<Record<string, SweepReport>>>;
  /**
   * Advances a virtual clock: the schedules fire, and the sweeps that they start delete expired items.
   * @param duration a whole number and `ms`, `s`, `m`, `h` or `d`, e.g. `'10m'`
   * @throws {LocalTestError} for another duration, or on the real clock
   * @throws {SweepFailedError} when a sweep that a schedule started has failed
   */
  advance(duration: string): Promise<void>;
  /**
   * Returns the expiries in the order in which the pipes of `events` and `archive` passed them on. A table with two pipes has each expiry
   * twice. No target receives anything.
   */
  expiries(): Promise<readonly PassedOnExpiry[]>;
  /**
   * Stops everything, and deletes the tables that `startPreciseTtl` created. Safe to call more than once.
   * @throws {SweepFailedError} after everything is stopped, for a failed sweep that a schedule started and no earlier call reported
   */
  stop(): Promise<void>;
}

/** A call that cannot be fulfilled, e.g. with a wrong option; the message says why. */
export class LocalTestError extends PreciseTtlError {
  override readonly name = 'LocalTestError';
}

export interface FailedSweep {
  readonly tableName: string;
  readonly input: unknown;
  /** `FAILED`, `TIMED_OUT` or `ABORTED`. */
  readonly status: string;
  /** The error's name, e.g. `SweepIncompleteError`. */
  readonly error: string | undefined;
  /** The execution's cause: reports of tables as JSON, a function's error as JSON, or a sentence. */
  readonly cause: string | undefined;
  /** Undefined if the execution failed before its report was made. */
  readonly report: SweepReport | undefined;
}

/** Executions did not succeed: expired items may remain. */
export class SweepFailedError extends PreciseTtlError {
  override readonly name = 'SweepFailedError';
  readonly failures: readonly FailedSweep[];

  constructor(failures: readonly FailedSweep[]) {
    super(failures.map(describeFailure).join('\n'));
    this.failures = failures;
  }
}

const MAX_SHOWN = 500;

function describeFailure({ tableName, input, status, error, cause }: FailedSweep): string {
  const what = `the sweep of ${tableName} with ${JSON.stringify(input)?.slice(0, MAX_SHOWN)}: expected SUCCEEDED, got ${status}`;
  const why = [error, cause?.slice(0, MAX_SHOWN)].filter(part => part !== undefined).join(': ');
  return why === '' ? what : `${what}: ${why}`;
}
