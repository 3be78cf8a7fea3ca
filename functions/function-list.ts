import { TASKS, type TaskName } from '../statemachine/contract/machines.ts';

/** The functions that the table's stream calls, not a state: those of the props `archive` and `events`. */
export const STREAM_FUNCTIONS = {
  ArchiveExpiries: 'archive-expiries',
  PublishExpiries: 'publish-expiries',
} as const;

export type StreamFunctionName = keyof typeof STREAM_FUNCTIONS;

/** Any function of this project. */
export type FunctionName = TaskName | StreamFunctionName;

const FILES: Readonly<Record<FunctionName, string>> = {
  ...TASKS,
  ...STREAM_FUNCTIONS,
};

export const ALL_FUNCTIONS = Object.keys(FILES) as readonly FunctionName[];

/** Name of a function's folder and archive, and the end of its name in AWS. */
export function fileOf(name: FunctionName): string {
  return FILES[name];
}
