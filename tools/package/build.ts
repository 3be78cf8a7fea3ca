import { readFileSync, rmSync } from 'node:fs';
import { buildTypes, compile } from './build-types.ts';
import { bundleConstructs, bundleDataModel, bundlePrograms, copyArchives } from './bundles.ts';
import { buildEmulatorPage, buildPage } from './prebuilt.ts';

/** `npm run build` in a package's folder: makes `dist/` anew. */

const ENTRIES: Readonly<Record<string, readonly (() => Promise<void>)[]>> = {
  // The first step fails if the data model uses names that only Node has.
  'precise-ttl': [
    () => compile('tsconfig.build.json'),
    ...[buildPage, buildTypes, copyArchives, bundleDataModel, bundleConstructs, bundlePrograms],
  ],
  'stepfunctions-emulator': [() => compile('tsconfig.build.json'), buildEmulatorPage],
};

const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly name: string };
rmSync('dist', { recursive: true, force: true });
try {
  for (const build of ENTRIES[name] ?? []) await build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
