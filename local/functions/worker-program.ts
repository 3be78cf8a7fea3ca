import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerSource } from './worker-source.ts';

let program: string | undefined;

/**
 * Writes the program of a thread, `worker.ts` without its types, into a folder. Node can strip types by itself, but loads its tool for
 * that again in every thread, which delays the start.
 * @returns absolute path of the file
 */
export function writeWorkerProgram(directory: string): string {
  program ??= workerSource();
  const file = join(directory, 'worker.mjs');
  writeFileSync(file, program);
  return file;
}
