import type {
  RecordMetricsInput,
  Span,
  TableSweep,
  TableSweeps,
  TickPlan,
} from '../../statemachine/contract/execution.ts';
import type { ReplayInput } from '../../statemachine/contract/inputs.ts';
import type { MachineName } from '../../statemachine/contract/machines.ts';
import type { SweepReport, SweepTotals } from '../../statemachine/contract/report.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { addCounts, EXECUTION_COUNTS } from '../../statemachine/counts.ts';
import { shardResultOf } from '../child/shard-result.ts';
import { addLags, countAbove, summarizeLag } from '../report/lag.ts';
import { recordedSettings } from '../report/recorded-settings.ts';
import { addRound, leftNothing, reportOf, startTotals } from '../report/sweep-totals.ts';
import { lateMs } from './metrics.ts';

/** The result of an execution for a table. */
export interface TableRecord {
  readonly table: string;
  readonly totals: SweepTotals;
  readonly report: SweepReport;
  /** Number of items that were deleted later than {@link lateMs}. */
  readonly late: number;
  /** In a tick: the span to hand over to another execution. */
  readonly leftOver: Span | undefined;
}

/** The results of an execution's tables, including those of parts that were not started. */
export function tableRecords({
  machine,
  executionInput,
  soFar,
}: Pick<RecordMetricsInput, 'machine' | 'executionInput' | 'soFar'>): TableRecord[] {
  const { sweeps, results, failedParts = [] } = soFar;
  const names = [
    ...new Set([sweeps, ...failedParts.map(part => part.sweeps)].flatMap(each => Object.keys(each))),
  ];
  return names.map(table => {
    const own = results.filter(result => isOf(result, table, sweeps));
    const record = recordOf(table, { ...soFar, results: own }, failedParts);
    return isHandOver(machine, executionInput) ? countHandOver(record) : record;
  });
}

/** Whether a tick has handed the execution over. */
export function isHandOver(machine: MachineName, executionInput: unknown): boolean {
  return machine === 'replay' && (executionInput as ReplayInput).handOver === true;
}

/** Counts a hand-over in the execution itself: the tick does not know whether it was started. */
function countHandOver({ totals, report, ...record }: TableRecord): TableRecord {
  return { ...record, totals: { ...totals, handedOver: 1 }, report: { ...report, handedOver: 1 } };
}

/** Counts the work that a tick could not finish and that no other execution takes over. */
export function leaveForLater({ totals, report, ...record }: TableRecord): TableRecord {
  const leftForLater = totals.leftForLater + 1;
  return { ...record, totals: { ...totals, leftForLater }, report: { ...report, leftForLater } };
}

/** Whether a child is of this table. A replay has one table, and its crashed children have no result that names it. */
function isOf(
  result: { readonly table?: string },
  table: string,
  sweeps: Readonly<Record<string, TableSweep>>,
): boolean {
  return result.table === table || (result.table === undefined && Object.keys(sweeps).length === 1);
}

function recordOf(
  table: string,
  soFar: RecordMetricsInput['soFar'],
  failedParts: readonly { readonly sweeps: TableSweeps }[],
): TableRecord {
  const { results, retries, planFailed } = soFar;
  const notStarted = failedParts.flatMap(({ sweeps }) => sweeps[table] ?? []);
  const sweep = soFar.sweeps[table] ?? notStarted[0];
  if (sweep === undefined) throw new TypeError(`${table}: expected its sweep among those of the execution`);
  const settings = recordedSettings(sweep.settings);
  const plans = [soFar.sweeps[table], ...notStarted].flatMap(each => each?.planned ?? []);
  const failure = plans.find(each => each.failure)?.failure;
  const progress = sweep.progress ?? {
    totals: {
      ...startTotals(false),
      oldestOverdueSeconds: Math.max(0, ...plans.map(each => each.oldestOverdueSeconds)),
      tablesFailed: failure === undefined ? 0 : 1,
    },
    roundTargets: plans.reduce((sum, each) => sum + each.targets, 0),
    cursor: null,
  };
  const resumed = results.flatMap(result => shardResultOf(result)?.resume ?? []);
  // A table with a limit hands nothing over: the next tick continues.
  const isLimited = plans.some(({ limited }) => limited);
  const leftOver = sweep.progress === undefined ? leftOverOf(plans, isLimited ? [] : resumed) : undefined;
  const added = addRound({ progress, results, retries, ...(planFailed && { planFailed }) });
  const totals = {
    ...added,
    leftForLater: added.leftForLater + (isLimited ? resumed.length : 0),
  };
  return {
    table,
    totals,
    report: { ...reportOf(totals), lagMs: summarizeLag(totals), ...(failure && { failure }) },
    late: countAbove(totals, lateMs(settings)),
    leftOver,
  };
}

/** The span that must be handed over: what the plan had no room for, and what children did not finish in time. */
function leftOverOf(plans: readonly TickPlan[], resumed: readonly SweepTarget[]): Span | undefined {
  const spans: Span[] = [
    ...plans.flatMap(({ leftOver }) => leftOver ?? []),
    ...resumed.map(({ windows, before }) => ({
      from: Math.min(before, ...windows.map(({ start }) => start)),
      to: before,
    })),
  ];
  if (spans.length === 0) return undefined;
  const limit = spans.find(({ maxDeletesPerSecond }) => maxDeletesPerSecond)?.maxDeletesPerSecond;
  return {
    from: Math.min(...spans.map(({ from }) => from)),
    to: Math.max(...spans.map(({ to }) => to)),
    ...(limit !== undefined && { maxDeletesPerSecond: limit }),
  };
}

/** Adds the totals of several tables. */
export function sumOfTables(totals: readonly SweepTotals[]): SweepTotals {
  return totals.reduce(
    (sum, each) => ({
      ...startTotals(false),
      ...addCounts(EXECUTION_COUNTS, sum, each),
      ...addLags(sum, each),
      oldestOverdueSeconds: Math.max(sum.oldestOverdueSeconds, each.oldestOverdueSeconds),
    }),
    startTotals(false),
  );
}

/** Whether a table's result is worth a row in the journal. Polling a minute in which nothing expired is not. */
export function didAnything({ totals, leftOver }: TableRecord): boolean {
  const { found, leftForLater } = totals;
  return found + leftForLater > 0 || leftOver !== undefined || !leftNothing(totals);
}
