import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/**
 * The program of a thread: `worker.ts` without its types, as JavaScript. In the package it was made by the build, which puts its
 * text in the place of this file.
 */
export function workerSource(): string {
  return transformSync(readFileSync(join(import.meta.dirname, 'worker.ts'), 'utf8'), {
    loader: 'ts',
    target: 'node24',
  }).code;
}
