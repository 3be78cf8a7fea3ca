import type { ItemKey, ListedFailure, SweepReport } from '../../statemachine/contract.ts';
import {
  addCounts,
  COUNT_LIST,
  type COUNTS,
  type CountName,
  countEach,
  noCounts,
} from '../../statemachine/counts.ts';
import type { ExecutionState } from './executions.ts';

/** The counts that a replay shows, by what it calls them. */
export const SHOWN_COUNTS = COUNT_LIST.flatMap(([name, { replay }]) =>
  replay === undefined ? [] : [[name as ShownCount, replay] as const],
);

type ShownCount = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { replay: string } ? Name : never;
}[CountName];

const NAMES = SHOWN_COUNTS.map(([name]) => name);

/** What a replay adds up over its executions. */
export type Totals = Readonly<Record<ShownCount, number>>;

export const NO_TOTALS: Totals = noCounts(NAMES);

export function addTotals(one: Totals, other: Totals): Totals {
  return addCounts(NAMES, one, other);
}

/** What an execution that has ended reports: its output, or the cause of its failure. Undefined when it reports nothing. */
export function readTotals({ output, cause }: ExecutionState): Totals | undefined {
  const report = parse(output ?? cause);
  if (report === undefined || NAMES.some(name => typeof report[name] !== 'number')) return undefined;
  return countEach(NAMES, name => Number(report[name]));
}

/** Some of the keys that an execution reports, as it lists them. */
export interface ListedKeys {
  /** Found by a dry run. */
  readonly sampleKeys: readonly ItemKey[];
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
 * What an attempt that failed adds to the attempt after it. What it left is found once more there, so that only what
 * it did with the others counts: for the sum, too, found is the sum of the fates.
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
