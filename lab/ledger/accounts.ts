import type { Execution } from 'stepfunctions-emulator';
import { readExecutionReport } from '../../functions/report/execution-report.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { FATES } from '../../statemachine/counts.ts';

/** The final status of an execution, and the counts in its report. */
export interface Ended {
  readonly name: string;
  readonly status: string;
  readonly error: string | undefined;
  /** The output, or the cause of the failure, as JSON. */
  readonly text: string | undefined;
}

export function endOf({ name, status, error, cause, outputText }: Execution): Ended {
  return { name, status, error, text: status === 'SUCCEEDED' ? outputText : cause };
}

/** The counts of an execution that do not add up, one sentence each. */
export function wrongCounts({ name, status, error, text }: Ended): string[] {
  const ending = status === 'SUCCEEDED' ? status : (error ?? status);
  // An execution that failed on the way or was stopped has no counts, nor has a tick that could not record its result.
  if (ending !== 'SUCCEEDED' && ending !== 'SweepIncompleteError') return [];
  if (isUnrecordedTick(text)) return [];
  const reports = reportsOf(text);
  if (reports === undefined) return [`${name} ended ${ending} without a report: ${text}`];
  return reports.flatMap(report => {
    const sum = FATES.reduce((total, fate) => total + Number(report[fate]), 0);
    if (sum === report.found) return [];
    return [
      `${name} found ${report.found}, but ${FATES.map(fate => `${fate} ${report[fate]}`).join(' + ')} = ${sum}`,
    ];
  });
}

/**
 * Finds the reports in an execution's output, in the cause of its failure, or in the JSON of these: those of a tick for each table with
 * work, or the one of a replay. Undefined when there are none.
 */
export function reportsOf(said: unknown): readonly SweepReport[] | undefined {
  const report = readExecutionReport(said);
  if (report === undefined) return undefined;
  if (!('tables' in report)) return [report];
  return report.notRecorded === undefined ? Object.values(report.tables) : undefined;
}

/** Finds the report of an execution that sweeps one table; undefined for a tick without work, too. */
export function reportOf(said: unknown): SweepReport | undefined {
  return reportsOf(said)?.[0];
}

/** A tick that could not record its result has no counts for any table. */
function isUnrecordedTick(said: unknown): boolean {
  const report = readExecutionReport(said);
  return report !== undefined && 'tables' in report && report.notRecorded !== undefined;
}
