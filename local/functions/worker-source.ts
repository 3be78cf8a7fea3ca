import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/**
 * `worker.ts` as JavaScript. In the npm package, the build replaces this module by a module with the finished source, because the package
 * has no compiler.
 */
export function workerSource(): string {
  return transformSync(readFileSync(join(import.meta.dirname, 'worker.ts'), 'utf8'), {
    loader: 'ts',
    target: 'node24',
  }).code;
}
