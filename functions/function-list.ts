import {
  BACKFILL_TASKS,
  BACKFILL_TIMEOUT_SECONDS,
  type BackfillTaskName,
} from '../statemachine/backfill-contract.ts';
import { FUNCTION_TIMEOUT_SECONDS, TASKS, type TaskName } from '../statemachine/contract.ts';

/** The functions that no state calls, but the table's stream: of the props `archive` and `events`. */
export const STREAM_FUNCTIONS = {
  ArchiveExpiries: 'archive-expiries',
  PublishExpiries: 'publish-expiries',
} as const;

export type StreamFunctionName = keyof typeof STREAM_FUNCTIONS;

/** Any function of this project. */
export type FunctionName = TaskName | BackfillTaskName | StreamFunctionName;

const FILES: Readonly<Record<FunctionName, string>> = { ...TASKS, ...BACKFILL_TASKS, ...STREAM_FUNCTIONS };

export const ALL_FUNCTIONS = Object.keys(FILES) as readonly FunctionName[];

/** Name of a function's folder and archive, and the end of its name in AWS. */
export function fileOf(name: FunctionName): string {
  return FILES[name];
}

/**
 * Time limits of the functions, seconds. A batch of the stream takes seconds; the rest is for calls that hang and are made again.
 * When the limit ends a call, the stream hands the batch on again.
 */
export const TIMEOUT_SECONDS: Readonly<Record<FunctionName, number>> = {
  ...FUNCTION_TIMEOUT_SECONDS,
  ...BACKFILL_TIMEOUT_SECONDS,
  ArchiveExpiries: 120,
  PublishExpiries: 120,
};
