import type {
  RecordMetricsInput,
  RecordMetricsOutput,
  TableSweep,
} from '../../statemachine/contract/execution.ts';
import { CAUSE_BYTES } from '../../statemachine/contract/limits.ts';
import type { SweepReport, SweepTotals } from '../../statemachine/contract/report.ts';
import { addCounts, EXECUTION_COUNTS } from '../../statemachine/counts.ts';
import { shardResultOf } from '../child/shard-result.ts';
import { addLags, countAbove, summarizeLag } from '../report/lag.ts';
import { jsonBytes, listFailedKeys } from '../report/listed-keys.ts';
import { addRound, leftNothing, reportOf, startTotals } from '../report/sweep-totals.ts';
import { lateMs } from './metrics.ts';

export interface TableRecord {
  readonly table: string;
  readonly totals: SweepTotals;
  readonly report: SweepReport;
  readonly late: number;
}

/** A record for each table. A crashed child's result names no table: it counts only if the execution has one table, as a replay has. */
export function tableRecords({ soFar }: Pick<RecordMetricsInput, 'soFar'>): TableRecord[] {
  const sweeps = Object.entries(soFar.sweeps);
  return sweeps.map(([table, sweep]) => {
    const own = soFar.results.filter(
      result => result.table === table || (result.table === undefined && sweeps.length === 1),
    );
    return recordOf(table, sweep, { ...soFar, results: own });
  });
}

function recordOf(table: string, sweep: TableSweep, soFar: RecordMetricsInput['soFar']): TableRecord {
  const { failure, oldestOverdueSeconds } = sweep;
  const added = addRound(sweep, soFar);
  const unfinished = soFar.results.filter(result => shardResultOf(result)?.resume !== undefined).length;
  const totals = {
    ...added,
    leftForLater: added.leftForLater + unfinished,
    tablesFailed: failure === undefined ? 0 : 1,
    oldestOverdueSeconds,
  };
  return {
    table,
    totals,
    report: { ...reportOf(totals), lagMs: summarizeLag(totals), ...(failure && { failure }) },
    late: countAbove(totals, lateMs({ precision: sweep.settings['precision'] })),
  };
}

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

export function didAnything({ totals }: TableRecord): boolean {
  return totals.found + totals.leftForLater > 0 || !leftNothing(totals);
}

const FEW_KEYS_BYTES = 1_000;

/** Chooses the reports that fit into the execution's output, reports with failures first. The other reports are in the journal. */
export function reportedTables(
  records: readonly TableRecord[],
): Pick<RecordMetricsOutput, 'tables' | 'moreTables'> {
  const isClean = ({ totals }: TableRecord) => Number(leftNothing(totals));
  const tables: Record<string, SweepReport> = {};
  let bytes = 0;
  let moreTables = 0;
  for (const { table, report } of records.toSorted((one, other) => isClean(one) - isClean(other))) {
    const withFewKeys = { ...report, failedKeys: listFailedKeys(report.failedKeys, FEW_KEYS_BYTES) };
    const sizeOf = (each: SweepReport) => jsonBytes({ [table]: each });
    const fits = [report, withFewKeys].find(each => bytes + sizeOf(each) <= CAUSE_BYTES);
    if (fits === undefined) {
      moreTables += 1;
    } else {
      bytes += sizeOf(fits);
      tables[table] = fits;
    }
  }
  return { tables, ...(moreTables > 0 && { moreTables }) };
}
