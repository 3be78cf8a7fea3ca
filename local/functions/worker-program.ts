import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

let program: string | undefined;

/**
 * Writes what a thread runs, `worker.ts` without its types, into a folder. Node takes types off by itself, but loads its
 * tool for that anew in every thread, and a thread is ready the sooner without.
 *
 * @returns absolute path of the file
 */
export function writeWorkerProgram(directory: string): string {
  program ??= transformSync(readFileSync(join(import.meta.dirname, 'worker.ts'), 'utf8'), {
    loader: 'ts',
    target: 'node24',
  }).code;
  const file = join(directory, 'worker.mjs');
  writeFileSync(file, program);
  return file;
}
