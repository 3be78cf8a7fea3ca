import { readFileSync, rmSync } from 'node:fs';
import { buildCli } from './build-cli.ts';
import { buildConstructs } from './build-constructs.ts';
import { buildDataModel } from './build-data-model.ts';
import { buildTesting } from './build-testing.ts';
import { buildTypes } from './build-types.ts';
import { compile } from './compile.ts';
import type { Manifest } from './manifest.ts';
import { buildEmulatorPage, buildPage } from './prebuilt-page.ts';

/** `npm run build` of each package, in its folder: makes `dist/` anew, one entry of the package at a time. */

/** Build steps by package name. */
const ENTRIES: Readonly<Record<string, readonly (() => Promise<void>)[]>> = {
  'precise-ttl': [buildPage, buildDataModel, buildTypes, buildConstructs, buildCli, buildTesting],
  'stepfunctions-emulator': [() => compile('tsconfig.build.json'), buildEmulatorPage],
};

const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
rmSync('dist', { recursive: true, force: true });
try {
  for (const build of ENTRIES[name] ?? []) await build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
