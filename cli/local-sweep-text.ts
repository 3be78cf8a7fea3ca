import { isObject } from '../expiry/fields.ts';
import { wholeReport } from '../functions/journal/layout.ts';
import { readExecutionReport, reportsByTable } from '../functions/report/execution-report.ts';
import { failureInWords } from '../operate/deployment/failure-in-words.ts';
import { isFailed, outcomeOf } from '../operate/deployment/sweep.ts';
import { describeOutcome } from '../operate/deployment/sweep-text.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';

/** Tables that are shown for an execution. */
const MAX_TABLES = 10;
/** Keys that are shown for a table and that a sweep could not delete. */
const MAX_KEYS = 5;

/** Table names, each with the result of an execution for that table; the result may have several lines. */
export type TableRows = readonly (readonly [table: string, text: string])[];

/**
 * Who started an execution of the sweep, in words; undefined if a person did.
 * @param schedule name of the schedule that started it, if one did
 */
export function starterOf(input: unknown, schedule: string | undefined): string | undefined {
  if (schedule !== undefined) return `by ${schedule}`;
  if (!isObject(input)) return undefined;
  if ('due' in input) return 'a part of a tick';
  if (input['handOver'] === true) return 'handed over by a tick';
  return input['fromNow'] === true ? 'by resume' : undefined;
}

/**
 * The results of an execution by table, only for tables with items that were found or left.
 *
 * @param said its output, or the cause of its failure
 * @returns undefined if the execution is not a sweep, or has no result for any table
 */
export function tableRows(input: unknown, said: unknown): TableRows | undefined {
  const reports = reportsOfSweep(input, said);
  if (reports === undefined) return undefined;
  const told = Object.entries(reports)
    .map(([table, each]) => [table, wholeReport(each)] as const)
    .filter(([, each]) => each.found > 0 || isFailed(each));
  const shown = told.slice(0, MAX_TABLES).map(([table, each]) => [table, describe(each)] as const);
  const more = told.length - shown.length;
  return more === 0 ? shown : [...shown, ['', `and ${more} more ${more === 1 ? 'table' : 'tables'}`]];
}

/**
 * The reports of an execution by table. A report without a table's name belongs to the only table.
 *
 * @param said the execution's output, or the cause of its failure
 * @returns undefined if the execution is not a sweep, or has no result for any table
 */
export function reportsOfSweep(input: unknown, said: unknown): ReturnType<typeof reportsByTable> | undefined {
  const report = readExecutionReport(said);
  if (report === undefined || ('notRecorded' in report && report.notRecorded !== undefined)) return undefined;
  return reportsByTable(report, input, '');
}

function describe(report: SweepReport): string {
  const keys = report.failedKeys.slice(0, MAX_KEYS).map(key => JSON.stringify(key));
  return [
    `${describeOutcome(outcomeOf(report))}${report.dryRun ? ' (dry run)' : ''}`,
    ...(isFailed(report) ? [failureInWords(report)] : []),
    ...keys,
  ]
    .filter(line => line !== '')
    .join('\n');
}
