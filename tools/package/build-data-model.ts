import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './compile.ts';

/** Builds the part of the package that applications import: into `dist/esm` as ES modules and into `dist/cjs` as CommonJS. */
export async function buildDataModel(): Promise<void> {
  await Promise.all(['tsconfig.build.json', 'tsconfig.build.commonjs.json'].map(project => compile(project)));
  // The package is ESM; this file makes one folder CommonJS, for Node and for the compiler.
  writeFileSync(join('dist', 'cjs', 'package.json'), '{ "type": "commonjs", "sideEffects": false }\n');
}
