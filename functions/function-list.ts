import { BACKFILL_TASKS, type BackfillTaskName } from '../statemachine/backfill-contract.ts';
import { TASKS, type TaskName } from '../statemachine/contract.ts';

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
