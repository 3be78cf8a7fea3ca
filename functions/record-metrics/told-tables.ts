import type { RecordMetricsOutput } from '../../statemachine/contract/execution.ts';
import { CAUSE_BYTES } from '../../statemachine/contract/limits.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { jsonBytes, listFailedKeys } from '../report/listed-keys.ts';
import { leftNothing } from '../report/sweep-totals.ts';
import type { TableRecord } from './table-record.ts';

/** Most UTF-8 bytes of a table's listed keys if there is no room for all. */
const FEW_KEYS_BYTES = 1_000;

/** The reports of an execution's tables that fit into the cause of a failure, those with failures first. The journal has all of them. */
export function toldTables(
  records: readonly TableRecord[],
): Pick<RecordMetricsOutput, 'tables' | 'moreTables'> {
  const [good, bad] = [true, false].map(isClean =>
    records.filter(({ totals }) => leftNothing(totals) === isClean),
  );
  const tables: Record<string, SweepReport> = {};
  let bytes = 0;
  let moreTables = 0;
  for (const record of [...(bad ?? []), ...(good ?? [])]) {
    const fits = [record, withFewKeys(record)].find(each => bytes + jsonBytes(byName([each])) <= CAUSE_BYTES);
    if (fits === undefined) {
      moreTables += 1;
    } else {
      bytes += jsonBytes(byName([fits]));
      tables[fits.table] = fits.report;
    }
  }
  return { tables, ...(moreTables > 0 && { moreTables }) };
}

function byName(records: readonly Pick<TableRecord, 'table' | 'report'>[]): Record<string, SweepReport> {
  return Object.fromEntries(records.map(({ table, report }) => [table, report]));
}

function withFewKeys({ table, report }: TableRecord): Pick<TableRecord, 'table' | 'report'> {
  return { table, report: { ...report, failedKeys: listFailedKeys(report.failedKeys, FEW_KEYS_BYTES) } };
}
