import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  buildEmulatorPage,
  buildPage,
  bundleConstructs,
  bundleDataModel,
  bundlePrograms,
  copyArchives,
  TERRAIN,
} from './bundles.ts';

/** `npm run build` in a package's folder: makes `dist/` anew. */

// The path begins at this file, because the working directory can be a package's folder.
const COMPILER = join(import.meta.dirname, '../..', 'node_modules', 'typescript', 'bin', 'tsc');

/** Compiles a project. The compiler's errors go to stderr. @param args further arguments of the compiler */
function compile(project: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [COMPILER, '-p', project, ...args], { stdio: ['ignore', 2, 2] });
}

/**
 * Copies the declarations of a module and of its imported modules.
 * @param names name of an imported package → new name
 */
function copyDeclarations(
  module: string,
  from: string,
  to: string,
  names: Readonly<Record<string, string>> = {},
  copied = new Set<string>(),
): void {
  if (copied.has(module)) return;
  copied.add(module);
  const file = `${module}.d.ts`;
  const text = readFileSync(join(from, file), 'utf8');
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(
    join(to, file),
    text.replaceAll(/(?<=(?:from |import\()['"])[^'"]+/g, name => renamed(name, names)),
  );
  for (const [, imported = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g)) {
    copyDeclarations(join(dirname(module), imported), from, to, names, copied);
  }
}

function renamed(name: string, names: Readonly<Record<string, string>>): string {
  const old = Object.keys(names).find(each => name === each || name.startsWith(`${each}/`));
  return old === undefined ? name : `${names[old]}${name.slice(old.length)}`;
}

/** Modules that applications import from the package: they need the declarations of these modules. */
const ENTRIES = ['expiry/index', 'expiry/data-model', 'stacks/cdktf', 'local/testing/index'];
/** Writes the declarations of all entries to `dist/types`, and the declarations for CDK Terrain to `dist/cdktn/types`. */
function buildTypes(): void {
  const declarations = mkdtempSync(join(tmpdir(), 'precise-ttl-declarations-'));
  try {
    compile('tsconfig.build.types.json', '--outDir', declarations);
    const copied = new Set<string>();
    for (const entry of ENTRIES) copyDeclarations(entry, declarations, 'dist/types', {}, copied);
    copyDeclarations('stacks/cdktf', declarations, 'dist/cdktn/types', TERRAIN);
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
}

const STEPS: Readonly<Record<string, readonly (() => Promise<void> | void)[]>> = {
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
  for (const build of STEPS[name] ?? []) await build();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
