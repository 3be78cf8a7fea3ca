import type { PlanCursor, RoundPlan, TableRound } from '../../statemachine/contract/execution.ts';
import { MAX_STEPS, ROUND_TARGETS } from '../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { shardResultOf } from '../child/shard-result.ts';
import { addRound, leftNothing, reportOf, startOfSweep } from '../report/sweep-totals.ts';
import { startChildren } from './start-children.ts';
import type { SweepLimit } from './sweep-input.ts';

/** The targets that a plan found. */
export interface PlannedRound {
  readonly due: readonly SweepTarget[];
  readonly cursor: PlanCursor | null;
  /** Age of the oldest item that earlier sweeps left, in seconds since its expiry; 0 when they left none. */
  readonly oldestOverdueSeconds: number;
  /** TTL of that item, epoch seconds; undefined when there is none, or when it is not known. */
  readonly oldestOverdue?: number | undefined;
}

export interface NextRoundOptions {
  readonly dryRun: boolean;
  readonly limit: SweepLimit | null;
  /** Children that Step Functions runs at once; 0 = no limit. */
  readonly concurrency: number;
  /** Seconds by which the times of the targets are earlier than those of the clock. */
  readonly behindSeconds: number;
  /** Most targets of a round. @default ROUND_TARGETS */
  readonly mostTargets?: number;
  /** Plans from a cursor (null: from the beginning), with at most `maxDue` targets. */
  readonly plan: (cursor: PlanCursor | null, maxDue: number) => Promise<PlannedRound>;
}

/**
 * Decides the next step of an execution.
 *
 * 1. The results of the last round's children are added up.
 * 2. If the sweep cannot be recorded, or its steps are used up, these results are final: report.
 * 3. Targets that children handed on come first, then those that the plan finds from its cursor.
 * 4. If nothing is due, it plans on while there is a cursor; otherwise it reports.
 * 5. An execution that may delete only until a certain time sweeps one round, which ends then.
 */
export async function nextRound(
  soFar: TableRound | null,
  { dryRun, limit, concurrency, behindSeconds, mostTargets = ROUND_TARGETS, plan }: NextRoundOptions,
): Promise<RoundPlan> {
  const before = soFar?.progress ?? startOfSweep(dryRun);
  const totals = soFar === null ? before.totals : addRound(soFar);
  const resumed = (soFar?.results ?? []).flatMap(output => shardResultOf(output)?.resume ?? []);
  const plannedAll = soFar !== null && before.cursor === null;
  const end = (next: RoundPlan['next']): RoundPlan => ({
    next,
    due: [],
    last: true,
    results: [],
    progress: { totals, roundTargets: 0, cursor: before.cursor },
    report: { ...reportOf(totals), ...(soFar?.recordingFailed && { notRecorded: soFar.recordingFailed }) },
  });

  if (soFar?.recordingFailed !== undefined) return end(leftNothing(totals) ? 'end' : 'recordFailure');
  if (resumed.length === 0 && plannedAll) return end(leftNothing(totals) ? 'record' : 'recordFailure');
  if (totals.steps + 2 > MAX_STEPS) return end('recordFailure');

  // With a limit the targets that were handed on are enough for a round.
  const waits = plannedAll || (limit !== null && resumed.length > 0);
  const planned = waits
    ? { due: [], cursor: before.cursor, oldestOverdueSeconds: 0 }
    : await plan(before.cursor, Math.max(0, mostTargets - resumed.length));
  const targets = [...resumed, ...planned.due];
  const due = startChildren(targets, { dryRun, limit, concurrency, behindSeconds });
  const leavesRest = limit !== null && limit.before !== null && due.length > 0 && planned.cursor !== null;
  const cursor = leavesRest ? null : planned.cursor;
  const after = {
    ...totals,
    steps: totals.steps + 1,
    leftForLater: totals.leftForLater + (leavesRest ? 1 : 0),
    oldestOverdueSeconds: Math.max(totals.oldestOverdueSeconds, planned.oldestOverdueSeconds),
  };
  const complete = leftNothing(after);
  const whenNothingIsDue = complete ? (after.shardsSwept === 0 ? 'end' : 'record') : 'recordFailure';
  return {
    next: due.length > 0 ? 'sweep' : cursor !== null ? 'plan' : whenNothingIsDue,
    due,
    last: cursor === null && complete,
    results: [],
    progress: { totals: after, roundTargets: due.length, cursor },
    report: reportOf(after),
  };
}
