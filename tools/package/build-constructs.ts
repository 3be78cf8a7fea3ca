import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import { archiveOf } from '../../stacks/archives.ts';
import { compile } from './compile.ts';
import { copyDeclarations } from './declarations.ts';
import { PREBUILT_ARCHIVES } from './prebuilt.ts';

/** The common source of both entries. */
const ENTRY = 'stacks/cdktf';

/** Entry → the names that replace CDKTF's packages in it. CDK Terrain is CDKTF under other names. */
const ENTRIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cdktf: {},
  cdktn: { cdktf: 'cdktn', '@cdktf/provider-aws': '@cdktn/provider-aws' },
};

/** Not bundled: a second copy of a class is another class, and the stack belongs to the application. */
const OF_THE_APPLICATION = ['cdktf', 'cdktn', 'constructs', '@cdktf/provider-aws', '@cdktn/provider-aws'];

/**
 * `precise-ttl/cdktf` and `precise-ttl/cdktn`, and what the entries that provision something share: the functions' archives in
 * `dist/functions`, the guard's module in `dist/modules`.
 */
export async function buildConstructs(): Promise<void> {
  mkdirSync('dist/functions', { recursive: true });
  for (const task of ALL_FUNCTIONS)
    copyFileSync(archiveOf(task), join('dist/functions', `${fileOf(task)}.zip`));
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
    format: 'esm',
    platform: 'node',
    target: 'node22',
    alias: { ...names },
    external: OF_THE_APPLICATION.flatMap(name => [name, `${name}/*`]),
    plugins: [PREBUILT_ARCHIVES],
    logLevel: 'error',
  });
  copyDeclarations(ENTRY, declarations, join(folder, 'types'), names);
}
