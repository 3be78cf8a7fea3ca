import { accessSync, constants, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FlagError } from './flags.ts';

/**
 * Checks that the file of a flag can be written: otherwise minutes of work could end with a result that cannot be saved.
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

/**
 * Creates the folder of a flag if it does not exist.
 *
 * @throws {FlagError} when files cannot be written into it
 */
export function writableFolder(flag: string, path: string): string {
  const folder = resolve(path);
  try {
    makeFolder(folder);
    rmdirSync(mkdtempSync(join(folder, '.precise-ttl-')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FlagError(
      `${flag}: expected a folder that can be made and written to, got "${path}" (${code}); name another`,
    );
  }
  return folder;
}

/** Creates a folder after its parents. Node's `recursive` option never ends below /proc, where no folder can be created. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}
