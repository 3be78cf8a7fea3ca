import type { Execution } from 'stepfunctions-emulator';
import { backfillName, replayName } from '../config/names.ts';
import { isObject } from '../expiry/fields.ts';
import { wholeReport } from '../functions/journal/layout.ts';
import { isFailed } from '../operate/deployment/sweep.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';
import { FATES, wordsOf } from '../statemachine/counts.ts';
import { reportsOfSweep } from './local-sweep-text.ts';
import { localTime } from './local-time.ts';
import { count } from './numbers.ts';

/** Room for the longest kind. */
const KIND_LENGTH = 'part of a tick'.length;

/**
 * Describes a successful execution on one line: when it began, its kind, what it deleted and how late.
 *
 * @param schedule name of the schedule that started it, if one did
 * @returns undefined if one line is not enough: the execution failed, or left something
 */
export function describeOnOneLine(execution: Execution, schedule: string | undefined): string | undefined {
  const { status, startDate, stopDate = startDate, input, outputText } = execution;
  if (status !== 'SUCCEEDED') return undefined;
  const found = Object.entries(reportsOfSweep(input, outputText) ?? {})
    .map(([table, report]) => [table, wholeReport(report)] as const)
    .filter(([, report]) => report.found > 0 || isFailed(report));
  if (found.some(([, report]) => isFailed(report))) return undefined;
  const result =
    reportsOfSweep(input, outputText) === undefined
      ? `succeeded in ${((stopDate - startDate) / 1000).toFixed(1)} s`
      : describeSwept(found);
  return `${localTime(startDate)}  ${kindOf(execution, schedule).padEnd(KIND_LENGTH)}  ${result}`;
}

function kindOf({ machine: { name }, input }: Execution, schedule: string | undefined): string {
  const has = (field: string) => isObject(input) && field in input;
  if (isObject(input) && input['handOver'] === true) return 'hand-over';
  if (has('due')) return 'part of a tick';
  if (has('scanIndex')) return 'scan';
  if (name.endsWith(replayName(''))) return 'replay';
  if (name.endsWith(backfillName(''))) return 'backfill';
  return schedule === undefined && !has('fromNow') ? name : 'tick';
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
    ...placesOf(found.map(([table]) => table)),
  ].join('  ');
}

/** The only table has no name in its report. */
function placesOf(tables: readonly string[]): string[] {
  const named = tables.filter(table => table !== '');
  if (named.length === 0) return [];
  return [named.length > 2 ? `${named.length} tables` : named.join(', ')];
}
