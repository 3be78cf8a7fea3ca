import { isObject } from '../../expiry/fields.ts';
import type { RecordMetricsOutput } from '../../statemachine/contract/execution.ts';

export interface ExecutionReport extends Omit<RecordMetricsOutput, 'complete'> {
  /** Name of the error that prevented the recording; then the report has no tables. */
  readonly notRecorded?: string;
}

/**
 * Reads the output of an execution of either state machine, or the cause of its failure.
 * @returns undefined for anything else: the cause of an execution that crashed is a sentence
 */
export function readExecutionReport(said: unknown): ExecutionReport | undefined {
  const value = typeof said === 'string' ? parsed(said) : said;
  return isObject(value) && isObject(value['tables']) ? (value as unknown as ExecutionReport) : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
