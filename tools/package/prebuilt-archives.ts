import { join } from 'node:path';
import { type FunctionName, fileOf } from '../../functions/function-list.ts';

/**
 * The functions' archives that the package has in `dist/functions`: what stacks/archives.ts is in the checkout. Whatever is
 * built of it lies in a folder beside that one.
 */
export function archiveOf(name: FunctionName): string {
  return join(import.meta.dirname, '../functions', `${fileOf(name)}.zip`);
}
