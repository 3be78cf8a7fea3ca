import type { Execution } from 'stepfunctions-emulator';
import { startProgress } from '../../functions/child/child-progress.ts';
import { reportOf, startTotals } from '../../functions/report/sweep-totals.ts';
import { reportsOf } from '../../lab/ledger/accounts.ts';
import type { ChildProgress, InitialProgress } from '../../statemachine/contract/child.ts';
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

/** What differs in a child's progress from the start of one. */
export type Progressed = Partial<Pick<ChildProgress, 'target' | 'dryRun' | 'listedKeysBytes'>> & {
  readonly [Slice in 'poll' | 'deferred' | 'busy' | 'brake' | 'counts']?: Partial<ChildProgress[Slice]>;
};

/** The progress of a child that has come so far. */
export function childProgress(
  from: Pick<InitialProgress, 'target'> & Partial<InitialProgress>,
  { poll, deferred, busy, brake, counts, ...more }: Progressed = {},
): ChildProgress {
  const start = startProgress({ dryRun: false, listedKeysBytes: 20_000, ...from, ...more });
  return {
    ...start,
    poll: { ...start.poll, ...poll },
    deferred: { ...start.deferred, ...deferred },
    busy: { ...start.busy, ...busy },
    brake: { ...start.brake, ...brake },
    counts: { ...start.counts, ...counts },
  };
}
