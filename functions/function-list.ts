import { TASKS, type TaskName } from '../statemachine/contract/machines.ts';

/** The functions of the states, and the one that the pipes of a deployment share. */
export type FunctionName = TaskName | 'OnlyExpiries';

const FILES: Readonly<Record<FunctionName, string>> = { ...TASKS, OnlyExpiries: 'only-expiries' };

export const ALL_FUNCTIONS = Object.keys(FILES) as readonly FunctionName[];

/** Name of a function's folder and archive, and the end of its name in AWS. */
export function fileOf(name: FunctionName): string {
  return FILES[name];
}
