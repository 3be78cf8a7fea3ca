import { isObject } from '../expiry/fields.ts';
import { wholeReport } from '../functions/journal/layout.ts';
import { readExecutionReport, reportsByTable } from '../functions/report/execution-report.ts';
import { failureInWords } from '../operate/deployment/failure-in-words.ts';
import { isFailed, outcomeOf } from '../operate/deployment/sweep.ts';
import { describeOutcome } from '../operate/deployment/sweep-text.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';

/** Tables of an execution that are shown. */
const MAX_TABLES = 10;
/** Keys of a table that are shown, of those that a sweep left. */
const MAX_KEYS = 5;

/** A table's name, and beside it what an execution came to for it; a text may have several lines. */
export type TableRows = readonly (readonly [table: string, text: string])[];

/**
 * Who started an execution of the sweep, in words; undefined for a person.
 * @param schedule the name of the one that did, if one did
 */
export function starterOf(input: unknown, schedule: string | undefined): string | undefined {
  if (schedule !== undefined) return `by ${schedule}`;
  if (!isObject(input)) return undefined;
  if ('due' in input) return 'a part of a tick';
  if (input['handOver'] === true) return 'handed over by a tick';
  return input['fromNow'] === true ? 'by resume' : undefined;
}

/**
 * The results of an execution by table: only tables in which something was found or left.
 *
 * @param said its output, or the cause of its failure
 * @returns undefined for an execution that is no sweep, and for one that has no result of any table
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
 * The reports of an execution by table; without a name it is the only table's.
 *
 * @param said its output, or the cause of its failure
 * @returns undefined for an execution that is no sweep, and for one that has no result of any table
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
