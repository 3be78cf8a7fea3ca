import { isObject } from '../../expiry/fields.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';

/** The final report of an execution on its tables. */
export type ExecutionReport = TickReport | SweepReport;

/** Reports by table, only for tables in which something was swept or failed. A replay has one table, which its input names. */
export interface TickReport {
  readonly tables: Readonly<Record<string, SweepReport>>;
  /** Number of further tables, for which there was no room: the journal has their reports. */
  readonly moreTables?: number;
  /** Name of the error due to which nothing was recorded; then the report has no tables. */
  readonly notRecorded?: string;
}

/**
 * Reads the report of an execution of either state machine: its output, or the cause of its failure.
 *
 * @param said the value, or its JSON
 * @returns undefined for anything else: the cause of an execution that crashed is a sentence
 */
export function readExecutionReport(said: unknown): ExecutionReport | undefined {
  const value = typeof said === 'string' ? parsed(said) : said;
  if (!isObject(value)) return undefined;
  return 'found' in value || isObject(value['tables']) ? (value as unknown as ExecutionReport) : undefined;
}

/**
 * The reports of an execution by table.
 *
 * @param input input of the execution: that of a replay names its table if the deployment has several
 * @param only table of a replay whose input names none; undefined: then the table is unknown
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
