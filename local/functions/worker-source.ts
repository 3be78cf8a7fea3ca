import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/**
 * Source of a thread's program: `worker.ts` without its types, as JavaScript. In the npm package, the build replaces this file by the
 * finished text of the program.
 */
export function workerSource(): string {
  return transformSync(readFileSync(join(import.meta.dirname, 'worker.ts'), 'utf8'), {
    loader: 'ts',
    target: 'node24',
  }).code;
}
