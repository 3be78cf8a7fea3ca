import type { Execution } from 'stepfunctions-emulator';
import type { SweepReport } from '../../../statemachine/contract/report.ts';
import { sumOfFates } from '../../../statemachine/counts.ts';
import { reportsOf } from '../../ledger/accounts.ts';

/** The sums of the reports of a state machine's executions. */
export interface ExecutionSums {
  readonly executions: number;
  /** Number of these executions that did not succeed. */
  readonly failed: number;
  readonly found: number;
  readonly deleted: number;
  readonly renewed: number;
  readonly notFound: number;
  readonly failedItems: number;
  /** Number of retries of chunks with unprocessed keys. */
  readonly retries: number;
  /** Whether `found` equals the sum of the other counts in each report. */
  readonly eachAddsUp: boolean;
}

type Ended = Pick<Execution, 'status' | 'output' | 'cause'>;

export function sumExecutions(ended: readonly Ended[]): ExecutionSums {
  // An incomplete sweep has its report as its cause; one that crashed or was stopped has none.
  const each = ended.map(({ output, cause }) => reportsOf(output ?? cause));
  const reports = each.flatMap(some => some ?? []);
  const sum = (count: (report: SweepReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    executions: ended.length,
    failed: ended.filter(({ status }) => status !== 'SUCCEEDED').length,
    found: sum(({ found }) => found),
    deleted: sum(({ deleted }) => deleted),
    renewed: sum(({ renewed }) => renewed),
    notFound: sum(({ notFound }) => notFound),
    failedItems: sum(({ failed }) => failed),
    retries: sum(({ retries }) => retries),
    eachAddsUp: !each.includes(undefined) && reports.every(report => report.found === sumOfFates(report)),
  };
}
