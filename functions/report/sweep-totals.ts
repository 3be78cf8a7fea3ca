import { isObject } from '../../expiry/fields.ts';
import type { SweepCounts } from '../../statemachine/contract/child.ts';
import type { DeletionLag } from '../../statemachine/contract/chunks.ts';
import type { RecordMetricsOutput, SweepState, TableSweep } from '../../statemachine/contract/execution.ts';
import { LISTED_KEYS_BYTES } from '../../statemachine/contract/limits.ts';
import type { SweepReport, SweepTotals } from '../../statemachine/contract/report.ts';
import { addCounts, CHILD_COUNTS, EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { shardResultOf } from '../child/shard-result.ts';
import { addLags, NO_LAG } from './lag.ts';
import { firstThatFit, listFailedKeys } from './listed-keys.ts';

export function startTotals(dryRun: boolean): SweepTotals {
  return {
    dryRun,
    ...noCounts(EXECUTION_COUNTS),
    ...NO_LAG,
    failedKeys: [],
    sampleKeys: [],
  };
}

/** Adds a round's results to the totals. A child without a result counts as failed, and so does an interrupted child. */
export function addRound(
  { totals = startTotals(false), targets }: Pick<TableSweep, 'totals' | 'targets'>,
  { results, planFailed }: Pick<SweepState, 'results' | 'planFailed'>,
): SweepTotals {
  const swept = results.map(shardResultOf).filter(result => result !== undefined);
  const through = swept.filter(({ interrupted }) => !interrupted).length;
  return {
    ...startTotals(totals.dryRun),
    ...totals,
    ...swept.reduce<SweepCounts>((sum, result) => addCounts(CHILD_COUNTS, sum, result), totals),
    ...swept.reduce<DeletionLag>(addLags, totals),
    shardsSwept: totals.shardsSwept + through,
    shardsFailed: totals.shardsFailed + targets - through + (planFailed ? 1 : 0),
    failedKeys: listFailedKeys(
      [...totals.failedKeys, ...swept.flatMap(({ failedKeys }) => failedKeys)],
      LISTED_KEYS_BYTES,
    ),
    sampleKeys: firstThatFit(
      [...totals.sampleKeys, ...swept.flatMap(({ sampleKeys }) => sampleKeys)],
      LISTED_KEYS_BYTES,
    ),
  };
}

export function leftNothing({
  failed,
  shardsFailed,
  tablesFailed,
}: Pick<SweepTotals, 'failed' | 'shardsFailed' | 'tablesFailed'>): boolean {
  return failed === 0 && shardsFailed === 0 && tablesFailed === 0;
}

/** The report without `lagCounts` and `lagMaxMs`: RecordMetrics adds `lagMs` in their place. */
export function reportOf({ lagCounts: _counts, lagMaxMs: _max, ...report }: SweepTotals): SweepReport {
  return report;
}

export interface ExecutionReport extends Omit<RecordMetricsOutput, 'complete'> {
  /** Name of the error with which RecordMetrics failed. `tables` is then empty. */
  readonly notRecorded?: string;
}

/**
 * Reads the report in an execution's output, or in the cause of its failure.
 * @returns undefined if there is no report, e.g. after a crash
 */
export function readExecutionReport(said: unknown): ExecutionReport | undefined {
  const value = typeof said === 'string' ? jsonObject(said) : said;
  return isObject(value) && isObject(value['tables']) ? (value as unknown as ExecutionReport) : undefined;
}

/** @returns undefined for a text that is no object in JSON */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
