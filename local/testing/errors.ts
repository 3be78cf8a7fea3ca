import { PreciseTtlError } from '../../expiry/index.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';

/** A call that the local cloud of a test cannot fulfil; the message says what to do. */
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
  /** The execution's cause: a report as JSON, or a sentence. */
  readonly cause: string | undefined;
  /** The report; undefined when the execution failed before it made one. */
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
