import { isObject } from '../../expiry/fields.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';

/** The report of an execution on its tables when it has ended. */
export type ExecutionReport = TickReport | SweepReport;

/** By table: only those in which something was swept or failed. A replay has one table, which its input names. */
export interface TickReport {
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** So many more tables, for which there was no room: the journal has them. */
  readonly moreTables?: number;
  /** Why nothing of it was recorded, an error's name; then it knows of no table. */
  readonly notRecorded?: string;
}

/**
 * Reads what an execution of either state machine says: its output, or the cause of its failure.
 *
 * @param said the value, or its JSON
 * @returns undefined for anything else: an execution that failed on its way has a sentence as its cause
 */
export function readExecutionReport(said: unknown): ExecutionReport | undefined {
  const value = typeof said === 'string' ? parsed(said) : said;
  if (!isObject(value)) return undefined;
  return 'found' in value || isObject(value['tables']) ? (value as unknown as ExecutionReport) : undefined;
}

/**
 * The contents of a report, by table.
 *
 * @param input of its execution: a replay has one table, which that names where the deployment has several
 * @param only the table of a replay whose input names none; undefined: then nobody knows which it is
 */
export function reportsByTable(
  report: ExecutionReport,
  input: unknown,
  only?: string,
): Readonly<Record<string, SweepReport>> {
  if ('tables' in report) return report.tables;
  const named = isObject(input) ? input['table'] : undefined;
  const table = typeof named === 'string' ? named : only;
  return table === undefined ? {} : { [table]: report };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
