import type { Execution } from 'stepfunctions-emulator';
import { reportsOf } from '../../bench/ledger/accounts.ts';
import { reportOf, startTotals } from '../../functions/report/sweep-totals.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';

type Ended = Pick<Execution, 'status' | 'output' | 'cause'>;

/** A tick says nothing of a table in which there was nothing to do. */
const NOTHING = reportOf(startTotals(false));

/** What an execution of either machine says of its only table: its output, or the cause of its failure. */
export function sweepReport({ output, cause }: Ended): SweepReport {
  const reports = reportsOf(output ?? cause);
  if (reports === undefined) throw new TypeError(`expected an execution with a report, got ${cause}`);
  return reports[0] ?? NOTHING;
}

export function sweepReports({ executions }: { readonly executions: readonly Ended[] }): SweepReport[] {
  return executions.map(sweepReport);
}
