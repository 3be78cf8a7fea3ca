import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * `npm run build` of each package, in its folder: compiles what users import into `dist/`, once as ES modules and once as
 * CommonJS.
 */

// By its path: what is called tsc in node_modules/.bin can be one of the older versions that the packages' tests use.
const COMPILER = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc');
const PROJECTS = ['tsconfig.build.json', 'tsconfig.build.commonjs.json'];

rmSync('dist', { recursive: true, force: true });
const results = await Promise.allSettled(
  PROJECTS.map(project => promisify(execFile)(process.execPath, [COMPILER, '-p', project])),
);
for (const result of results) {
  if (result.status === 'fulfilled') continue;
  console.error(result.reason.stdout || result.reason);
  process.exitCode = 1;
}
// The package is ESM as a whole; this makes the one folder CommonJS, for Node and for the compiler.
writeFileSync(join('dist', 'cjs', 'package.json'), '{ "type": "commonjs", "sideEffects": false }\n');
