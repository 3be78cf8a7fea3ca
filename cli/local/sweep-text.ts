import type { Execution } from 'stepfunctions-emulator';
import { replayName } from '../../config/names.ts';
import { type ExecutionReport, readExecutionReport } from '../../functions/report/execution-report.ts';
import type { DeliveredExpiry, PipeResource } from '../../local/pipes/pipes.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { FATES, wordsOf } from '../../statemachine/counts.ts';
import { countsOf, failureOf } from '../facts.ts';
import { wholeReport } from '../journal.ts';
import { count } from '../numbers.ts';
import { countsText } from '../words.ts';
import { localTime } from './failure.ts';

/** Columns for the kind of an execution: this is the longest kind. */
const KIND_LENGTH = 'replay'.length;

/**
 * An execution that succeeded, on one line: when it began, what it was, what it deleted and how late.
 *
 * @param schedule name of the schedule that started it, if one did
 * @returns undefined if one line is not enough, because the execution failed or left items
 */
export function describeOnOneLine(execution: Execution, schedule: string | undefined): string | undefined {
  const { status, startDate, stopDate = startDate, outputText } = execution;
  if (status !== 'SUCCEEDED') return undefined;
  const reports = reportsOfSweep(outputText);
  const found = toldOf(reports ?? {});
  if (found.some(([, report]) => failureOf(report) !== null)) return undefined;
  const result =
    reports === undefined
      ? `succeeded in ${((stopDate - startDate) / 1000).toFixed(1)} s`
      : describeSwept(found);
  return `${localTime(startDate)}  ${kindOf(execution, schedule).padEnd(KIND_LENGTH)}  ${result}`;
}

function kindOf({ machine: { name } }: Execution, schedule: string | undefined): string {
  if (name.endsWith(replayName(''))) return 'replay';
  return schedule === undefined ? name : 'tick';
}

function describeSwept(found: readonly (readonly [table: string, report: SweepReport])[]): string {
  if (found.length === 0) return 'nothing to delete';
  const reports = found.map(([, report]) => report);
  const sum = (name: 'found' | (typeof FATES)[number]) =>
    reports.reduce((total, report) => total + report[name], 0);
  const late = Math.max(...reports.map(({ lagMs }) => lagMs?.p99 ?? 0));
  const isDry = reports.some(({ dryRun }) => dryRun);
  return [
    isDry ? `${count(sum('found'))} found (dry run)` : `${count(sum('deleted'))} deleted`,
    ...FATES.filter(fate => fate !== 'deleted' && sum(fate) > 0).map(
      fate => `${count(sum(fate))} ${wordsOf(fate)}`,
    ),
    ...(sum('deleted') > 0 ? [`p99 ${(late / 1000).toFixed(1)} s`] : []),
    ...(reports.some(({ leftForLater }) => leftForLater > 0) ? ['the rest left to a later sweep'] : []),
    found.length > 2 ? `${found.length} tables` : found.map(([table]) => table).join(', '),
  ].join('  ');
}

/** Tables that are shown for an execution. */
const MAX_TABLES = 10;
/** Keys that are shown for a table and that a sweep could not delete. */
const MAX_KEYS = 5;

/** Table names, each with the result of an execution for that table; the result may have several lines. */
export type TableRows = readonly (readonly [table: string, text: string])[];

/**
 * The results of an execution by table, only for tables with items that were found or left.
 *
 * @param said its output, or the cause of its failure
 * @returns undefined if the execution is not a sweep, or has no result for any table
 */
export function tableRows(said: unknown): TableRows | undefined {
  const reports = reportsOfSweep(said);
  if (reports === undefined) return undefined;
  const told = toldOf(reports);
  const shown = told.slice(0, MAX_TABLES).map(([table, each]) => [table, describe(each)] as const);
  const more = told.length - shown.length;
  return more === 0 ? shown : [...shown, ['', `and ${more} more ${more === 1 ? 'table' : 'tables'}`]];
}

/** The reports of tables with items that were found or left. */
function toldOf(reports: ExecutionReport['tables']): (readonly [table: string, report: SweepReport])[] {
  return Object.entries(reports)
    .map(([table, report]) => [table, wholeReport(report)] as const)
    .filter(([, report]) => report.found + report.leftForLater > 0 || failureOf(report) !== null);
}

/**
 * The reports of an execution by table.
 *
 * @param said its output, or the cause of its failure
 * @returns undefined for an execution that is no sweep, and for one that has no result of any table
 */
export function reportsOfSweep(said: unknown): ExecutionReport['tables'] | undefined {
  const { tables, notRecorded } = readExecutionReport(said) ?? {};
  return notRecorded === undefined ? tables : undefined;
}

function describe(report: SweepReport): string {
  const keys = report.failedKeys.slice(0, MAX_KEYS).map(key => JSON.stringify(key));
  return [
    `${countsText(countsOf(report), report.lagMs) || 'nothing to do'}${report.dryRun ? ' (dry run)' : ''}`,
    failureOf(report) ?? '',
    ...keys,
  ]
    .filter(line => line !== '')
    .join('\n');
}

/** Rows about the pipes: one for each. */
export function describePipes(pipes: readonly PipeResource[]): (readonly [string, string])[] {
  return pipes.map(
    pipe =>
      ['pipe', `${pipe.tableName} to ${targetOf(pipe)}: its expiries are shown here, none is sent`] as const,
  );
}

/** `event-bus/default`, `deliverystream/…` */
const targetOf = ({ targetArn }: PipeResource): string => targetArn.split(':').slice(5).join(':');

/** Describes an expiry on one line. */
export function describeExpiry({ pipe, event }: DeliveredExpiry): string {
  return `${localTime(Date.now())}  expiry  ${targetOf(pipe)}  ${JSON.stringify(event)}`;
}

/** Describes a problem of a pipe on one line. */
export function describePipeTrouble(error: unknown, { address }: PipeResource): string {
  return `${localTime(Date.now())}  ${address}  ${error}; it is tried again`;
}
