import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { archiveOf } from '../stacks/archives.ts';
import { TASKS, type TaskName } from '../statemachine/contract.ts';
import { compile } from './compile.ts';
import { PREBUILT_ARCHIVES } from './prebuilt.ts';

/** The one source of both entries. */
const ENTRY = 'stacks/cdktf';

/** Entry → what CDKTF's own packages are called for it. CDK Terrain is CDKTF under other names. */
const ENTRIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cdktf: {},
  cdktn: { cdktf: 'cdktn', '@cdktf/provider-aws': '@cdktn/provider-aws' },
};

/** Not bundled: a class that is there twice is two classes, and the stack is one of the application's. */
const OF_THE_APPLICATION = ['cdktf', 'cdktn', 'constructs', '@cdktf/provider-aws', '@cdktn/provider-aws'];

/**
 * `precise-ttl/cdktf` and `precise-ttl/cdktn`, and what the entries that provision something share: the functions' archives in
 * `dist/functions`, Terraform's modules in `dist/modules`.
 */
export async function buildConstructs(): Promise<void> {
  mkdirSync('dist/functions', { recursive: true });
  for (const [task, file] of Object.entries(TASKS)) {
    copyFileSync(archiveOf(task as TaskName), join('dist/functions', `${file}.zip`));
  }
  cpSync('stacks/modules', 'dist/modules', { recursive: true });

  const declarations = mkdtempSync(join(tmpdir(), 'precise-ttl-declarations-'));
  try {
    await compile('tsconfig.build.constructs.json', ['--outDir', declarations]);
    for (const [entry, names] of Object.entries(ENTRIES)) await buildEntry(entry, names, declarations);
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
}

async function buildEntry(
  entry: string,
  names: Readonly<Record<string, string>>,
  declarations: string,
): Promise<void> {
  const folder = join('dist', entry);
  await build({
    entryPoints: [`${ENTRY}.ts`],
    outfile: join(folder, 'index.js'),
    bundle: true,
    // CommonJS as CDKTF is.
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.dirname': '__dirname' },
    alias: { ...names },
    external: OF_THE_APPLICATION.flatMap(name => [name, `${name}/*`]),
    plugins: [PREBUILT_ARCHIVES],
    logLevel: 'error',
  });
  copyDeclarations(ENTRY, declarations, join(folder, 'types'), names);
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

/** Copies the declarations of a module and those that they need. */
function copyDeclarations(
  module: string,
  from: string,
  to: string,
  names: Readonly<Record<string, string>>,
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

/** A module's name, or a path into it, by another name. */
function renamed(name: string, names: Readonly<Record<string, string>>): string {
  const old = Object.keys(names).find(each => name === each || name.startsWith(`${each}/`));
  return old === undefined ? name : `${names[old]}${name.slice(old.length)}`;
}
