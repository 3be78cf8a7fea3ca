import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerSource } from './worker-source.ts';

let program: string | undefined;

/**
 * Writes what a thread runs, `worker.ts` without its types, into a folder. Node takes types off by itself, but loads its
 * tool for that anew in every thread, and a thread is ready the sooner without.
 *
 * @returns absolute path of the file
 */
export function writeWorkerProgram(directory: string): string {
  program ??= workerSource();
  const file = join(directory, 'worker.mjs');
  writeFileSync(file, program);
  return file;
}
