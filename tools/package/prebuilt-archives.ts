import { join } from 'node:path';
import { type FunctionName, fileOf } from '../../functions/function-list.ts';

/**
 * The functions' archives in the package's `dist/functions`, which replace those of stacks/archives.ts in the checkout. Modules built from
 * this file are in a folder beside that one.
 */
export function archiveOf(name: FunctionName): string {
  return join(import.meta.dirname, '../functions', `${fileOf(name)}.zip`);
}
