import { join } from 'node:path';
import { TASKS, type TaskName } from '../statemachine/contract.ts';

/**
 * The functions' archives that the package has in `dist/functions`: what stacks/archives.ts is in the checkout. Whatever is
 * built of it lies in a folder beside that one.
 */
export function archiveOf(task: TaskName): string {
  return join(import.meta.dirname, '../functions', `${TASKS[task]}.zip`);
}
