import type { Execution } from 'stepfunctions-emulator';
import { isObject } from '../../expiry/fields.ts';
import { readExecutionReport } from '../../functions/report/execution-report.ts';
import { leftNothing, reportOf, startTotals } from '../../functions/report/sweep-totals.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import type { FailedSweep } from './errors.ts';

export type SweepReports = Readonly<Record<string, SweepReport>>;

export const NOTHING_SWEPT: SweepReport = reportOf(startTotals(false));

export function reportsOf({ output, cause }: Execution): SweepReports {
  return readExecutionReport(output ?? cause)?.tables ?? {};
}

/**
 * Failures of an execution that did not succeed: one for each table that the execution reports as incomplete. If no table is reported,
 * there is a failure for each table of the execution.
 * @param deployed the tables of the execution's deployment
 */
export function failuresOf(execution: Execution, deployed: readonly string[]): FailedSweep[] {
  const { input, status, error, cause } = execution;
  const reports = reportsOf(execution);
  const left = Object.keys(reports).filter(table => !leftNothing(reports[table] ?? NOTHING_SWEPT));
  const tables = left.length > 0 ? left : (tablesOfInput(input) ?? deployed);
  return tables.map(tableName => ({ tableName, input, status, error, cause, report: reports[tableName] }));
}

/** The tables that an input names; undefined means all tables of the deployment. */
function tablesOfInput(input: unknown): readonly string[] | undefined {
  if (!isObject(input)) return undefined;
  const { table, tables } = input;
  if (typeof table === 'string') return [table];
  return Array.isArray(tables) ? tables.map(String) : undefined;
}
