import type { ItemKey, ListedFailure, SweepReport } from '../../statemachine/contract.ts';
import type { ExecutionState } from './executions.ts';

const COUNTED = ['found', 'deleted', 'renewed', 'notFound', 'failed', 'shardsFailed'] as const;

/** What a replay adds up over its executions. */
export type Totals = Readonly<Record<(typeof COUNTED)[number], number>>;

export const NO_TOTALS: Totals = {
  found: 0,
  deleted: 0,
  renewed: 0,
  notFound: 0,
  failed: 0,
  shardsFailed: 0,
};

export function addTotals(one: Totals, other: Totals): Totals {
  const sums = COUNTED.map(name => [name, one[name] + other[name]]);
  return Object.fromEntries(sums) as unknown as Totals;
}

/** What an execution that has ended reports: its output, or the cause of its failure. Undefined when it reports nothing. */
export function readTotals({ output, cause }: ExecutionState): Totals | undefined {
  const report = parse(output ?? cause);
  if (report === undefined || COUNTED.some(name => typeof report[name] !== 'number')) return undefined;
  return Object.fromEntries(COUNTED.map(name => [name, report[name]])) as unknown as Totals;
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
 * it did with the others counts: found = deleted + renewed + notFound + failed holds for the sum.
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
