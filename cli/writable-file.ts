import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FlagError } from './flags.ts';

/**
 * The file that a flag names: minutes of work shall not end with a result that can't be written.
 *
 * @throws {FlagError}
 */
export function writableFile(flag: string, path: string): string {
  const file = resolve(path);
  const folder = dirname(file);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new FlagError(
      `${flag}: expected a file in a folder that can be written to, got "${path}"; make ${folder} first`,
    );
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FlagError(`${flag}: expected a file, got the folder "${path}"`);
  }
  return file;
}
