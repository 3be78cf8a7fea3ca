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
import type { ExecutionState } from '../aws/execution-state.ts';

/** DynamoDB: an item of up to 1 KB, and its entry in the index. */
export const WRITE_UNITS_PER_ITEM = 2;

type ReplayedCount = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { replayed: true } ? Name : never;
}[CountName];

/** The counts of a replay. */
export const REPLAYED = COUNT_LIST.flatMap(([name, { replayed }]) =>
  replayed ? [name as ReplayedCount] : [],
);

/** Counts that a replay adds up over its executions. */
export type Totals = Readonly<Record<ReplayedCount, number>>;

export const NO_TOTALS: Totals = noCounts(REPLAYED);

export function addTotals(one: Totals, other: Totals): Totals {
  return addCounts(REPLAYED, one, other);
}

/** The report of an execution that has ended: its output, or the cause of its failure. Undefined when there is none. */
export function readTotals({ output, cause }: ExecutionState): Totals | undefined {
  const report = parse(output ?? cause);
  if (report?.found === undefined) return undefined;
  // One that was made before a count existed does not have it.
  const counted = (name: ReplayedCount): unknown => (name in report ? report[name] : 0);
  if (REPLAYED.some(name => typeof counted(name) !== 'number')) return undefined;
  return countEach(REPLAYED, name => Number(counted(name)));
}

/** How late 99% of what an execution deleted was at most, milliseconds; undefined when it deleted nothing. */
export function readLagP99({ output, cause }: ExecutionState): number | undefined {
  const p99: unknown = parse(output ?? cause)?.lagMs?.p99;
  return typeof p99 === 'number' ? p99 : undefined;
}

/** Some of the keys that an execution reports, as it lists them. */
export interface ListedKeys {
  /** Found by a dry run. */
  readonly sampleKeys: readonly ShownKey[];
  /** Not deleted. */
  readonly failedKeys: readonly ListedFailure[];
}

export function readKeys({ output, cause }: ExecutionState): ListedKeys {
  const { sampleKeys, failedKeys } = parse(output ?? cause) ?? {};
  return {
    sampleKeys: Array.isArray(sampleKeys) ? sampleKeys : [],
    failedKeys: Array.isArray(failedKeys) ? failedKeys : [],
  };
}

/**
 * The counts that a failed attempt adds to the attempt after it. The later attempt finds again the items that the failed one left, so that
 * only the other items count: found stays the sum of the fates.
 */
export function carriedOver(totals: Totals, dryRun: boolean): Totals {
  return dryRun ? NO_TOTALS : { ...totals, found: totals.found - totals.failed, failed: 0, shardsFailed: 0 };
}

function parse(text: string | undefined): Partial<SweepReport> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // a cause in prose
  }
}
