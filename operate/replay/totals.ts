import { readExecutionReport } from '../../functions/report/execution-report.ts';
import type { ListedFailure, ShownKey } from '../../statemachine/contract/keys.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import {
  addCounts,
  COUNT_LIST,
  type COUNTS,
  type CountName,
  countEach,
  noCounts,
} from '../../statemachine/counts.ts';
import type { ExecutionState } from '../aws/executions-of-table.ts';

/** Write units for deleting an item of up to 1 KB and its index entry. */
export const WRITE_UNITS_PER_ITEM = 2;

type ReplayedCount = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { replayed: true } ? Name : never;
}[CountName];

/** The counts of a replay. */
export const REPLAYED = COUNT_LIST.flatMap(([name, { replayed }]) =>
  replayed ? [name as ReplayedCount] : [],
);

/** Counts, added up over the executions of a replay. */
export type Totals = Readonly<Record<ReplayedCount, number>>;

export const NO_TOTALS: Totals = noCounts(REPLAYED);

export function addTotals(one: Totals, other: Totals): Totals {
  return addCounts(REPLAYED, one, other);
}

/** Reads the report of an execution that has ended, from its output or the cause of its failure. Undefined if there is no report. */
export function readTotals(state: ExecutionState): Totals | undefined {
  const report = reportIn(state);
  if (report?.found === undefined) return undefined;
  // Reports of earlier versions lack newer counts.
  const counted = (name: ReplayedCount): unknown => (name in report ? report[name] : 0);
  if (REPLAYED.some(name => typeof counted(name) !== 'number')) return undefined;
  return countEach(REPLAYED, name => Number(counted(name)));
}

/** P99 of the lag of an execution's deletions, milliseconds; undefined if it deleted nothing. */
export function readLagP99(state: ExecutionState): number | undefined {
  const p99: unknown = reportIn(state)?.lagMs?.p99;
  return typeof p99 === 'number' ? p99 : undefined;
}

/** Some keys from the report of an execution. */
export interface ListedKeys {
  /** Keys that a dry run found. */
  readonly sampleKeys: readonly ShownKey[];
  /** Keys that could not be deleted. */
  readonly failedKeys: readonly ListedFailure[];
}

export function readKeys(state: ExecutionState): ListedKeys {
  const { sampleKeys, failedKeys } = reportIn(state) ?? {};
  return {
    sampleKeys: Array.isArray(sampleKeys) ? sampleKeys : [],
    failedKeys: Array.isArray(failedKeys) ? failedKeys : [],
  };
}

/**
 * Counts of a failed attempt that are added to those of the next attempt. The next attempt finds the failed items again, so only
 * the other items are added: `found` stays the sum of all results.
 */
export function carriedOver(totals: Totals, dryRun: boolean): Totals {
  const again = { found: totals.found - totals.failed, failed: 0, shardsFailed: 0, leftForLater: 0 };
  return dryRun ? NO_TOTALS : { ...totals, ...again };
}

/** The report of a replay, which has one table. */
function reportIn({ output, cause }: ExecutionState): Partial<SweepReport> | undefined {
  const [report] = Object.values(readExecutionReport(output ?? cause)?.tables ?? {});
  return report;
}
