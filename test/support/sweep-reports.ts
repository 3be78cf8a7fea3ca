import type { Execution } from 'stepfunctions-emulator';
import { readExecutionReport, reportOf, startTotals } from '../../functions/report/sweep-totals.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';

type Ended = Pick<Execution, 'status' | 'output' | 'cause'>;

/** A tick says nothing of a table in which there was nothing to do. */
const NOTHING = reportOf(startTotals(false));

/** What an execution of either machine says of its only table: its output, or the cause of its failure. */
export function sweepReport({ output, cause }: Ended): SweepReport {
  const report = readExecutionReport(output ?? cause);
  if (report === undefined || report.notRecorded !== undefined)
    throw new TypeError(`expected an execution with a report, got ${cause}`);
  return Object.values(report.tables)[0] ?? NOTHING;
}
