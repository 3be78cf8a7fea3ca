/** These functions check files and folders that flags name. Without the check, a command might work and then fail to save its result. */
import { accessSync, constants, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { wrong } from './command.ts';

export function writableFile(flag: string, path: string): string {
  const file = resolve(path);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch {
    throw wrong(flag, 'a file in a folder that can be written to', path, `Make ${dirname(file)} first.`);
  }
  if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) return file;
  throw wrong(flag, 'a file', `the folder ${path}`, 'Name a file in it.');
}

/** Creates the folder if it does not exist. @returns its absolute path @throws {InvalidFieldError} if files cannot be written into it */
export function writableFolder(flag: string, path: string): string {
  const folder = resolve(path);
  try {
    makeFolder(folder);
    rmdirSync(mkdtempSync(join(folder, '.precise-ttl-')));
  } catch (error) {
    const got = `${path} (${(error as NodeJS.ErrnoException).code})`;
    throw wrong(flag, 'a folder that can be made and written to', got, 'Name another.');
  }
  return folder;
}

/** Makes a folder and its missing parents. Node's `mkdirSync` with `recursive` is not used, because it never returns below /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}
