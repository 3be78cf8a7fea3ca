import { isObject } from '../../expiry/fields.ts';
import type { RecordMetricsOutput } from '../../statemachine/contract/execution.ts';

export interface ExecutionReport extends Omit<RecordMetricsOutput, 'complete'> {
  /** Name of the error with which RecordMetrics failed. The report then has no tables. */
  readonly notRecorded?: string;
}

/**
 * Reads the output of an execution of either state machine, or the cause of its failure.
 * @returns undefined for other texts, such as the cause of an execution that crashed
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
