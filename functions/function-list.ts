import { TASKS, type TaskName } from '../statemachine/contract/machines.ts';

export type FunctionName = TaskName | 'OnlyExpiries';

const FILES: Readonly<Record<FunctionName, string>> = { ...TASKS, OnlyExpiries: 'only-expiries' };

export const ALL_FUNCTIONS = Object.keys(FILES) as readonly FunctionName[];

export function fileOf(name: FunctionName): string {
  return FILES[name];
}
