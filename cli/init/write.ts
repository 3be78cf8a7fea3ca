import { existsSync, writeFileSync } from 'node:fs';
import { PreciseTtlError } from '../../expiry/errors.ts';

/** A configuration already exists, or the file cannot be written. */
export class InitError extends PreciseTtlError {
  override readonly name = 'InitError';
}

/**
 * Refuses to overwrite a configuration, and to leave two in the folder.
 *
 * @param names of all files that can be a configuration
 * @throws {InitError}
 */
export function refuseOthers(file: string, names: readonly string[], force: boolean): void {
  const there = names.filter(name => existsSync(name));
  const other = there.find(name => name !== file);
  if (other !== undefined) {
    throw new InitError(
      `${file}: expected no other configuration in this folder, got ${other}; remove it first, or add a table to it`,
    );
  }
  if (there.length > 0 && !force) {
    throw new InitError(
      `${file}: expected no such file, got one; add a table to it, or write over it with --force`,
    );
  }
}

/** @throws {InitError} */
export function writeConfig(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new InitError(
      `${file}: expected a folder that can be written to, got: ${(error as Error).message}`,
    );
  }
}
