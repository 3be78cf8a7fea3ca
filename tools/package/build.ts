import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { buildCli } from './build-cli.ts';
import { buildConstructs } from './build-constructs.ts';
import { buildTesting } from './build-testing.ts';
import { buildTypes, compile } from './build-types.ts';
import type { Manifest } from './manifest.ts';
import { buildEmulatorPage, buildPage } from './prebuilt.ts';

/** `npm run build` of each package, in its folder: makes `dist/` anew, one entry of the package at a time. */

/** Builds the part of the package that applications and browsers run; the compiler refuses names that only Node has. */
async function buildDataModel(): Promise<void> {
  await compile('tsconfig.build.json');
  await build({
    entryPoints: ['expiry/index.ts', 'expiry/data-model.ts'],
    outdir: 'dist/esm',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
  });
}

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
