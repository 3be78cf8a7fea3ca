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
  // An execution that failed on the way or was stopped has no counts, nor has one that could not record its result.
  if (ending !== 'SUCCEEDED' && ending !== 'SweepIncompleteError') return [];
  const report = readExecutionReport(text);
  if (report === undefined) return [`${name} ended ${ending} without a report: ${text}`];
  return (reportsOf(text) ?? []).flatMap(each => {
    const sum = FATES.reduce((total, fate) => total + Number(each[fate]), 0);
    if (sum === each.found) return [];
    return [
      `${name} found ${each.found}, but ${FATES.map(fate => `${fate} ${each[fate]}`).join(' + ')} = ${sum}`,
    ];
  });
}

/** Finds the reports in an execution's output, in the cause of its failure, or in the JSON of these; undefined when there are none. */
export function reportsOf(said: unknown): readonly SweepReport[] | undefined {
  const report = readExecutionReport(said);
  return report === undefined || report.notRecorded !== undefined ? undefined : Object.values(report.tables);
}
