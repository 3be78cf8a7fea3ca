import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import { archiveOf } from '../../stacks/archives.ts';
import { bundledFiles } from '../../stacks/bundle.ts';
import { TERRAIN } from './build-types.ts';
import { LICENCES_FILE, licencesOf } from './licences.ts';
import { PREBUILT_ARCHIVES } from './prebuilt.ts';

/** Entry → the names that replace CDKTF's packages in it. */
const ENTRIES: Readonly<Record<string, Readonly<Record<string, string>>>> = { cdktf: {}, cdktn: TERRAIN };

/** Not bundled: a second copy of a class is another class, and the stack belongs to the application. */
const OF_THE_APPLICATION = ['cdktf', 'cdktn', 'constructs', '@cdktf/provider-aws', '@cdktn/provider-aws'];

/**
 * `precise-ttl/cdktf` and `precise-ttl/cdktn`, and what the entries that provision something share: the functions' archives in
 * `dist/functions`.
 */
export async function buildConstructs(): Promise<void> {
  mkdirSync('dist/functions', { recursive: true });
  for (const task of ALL_FUNCTIONS)
    copyFileSync(archiveOf(task), join('dist/functions', `${fileOf(task)}.zip`));
  writeFileSync(join('dist/functions', LICENCES_FILE), licencesOf(bundledFiles()));
  for (const [entry, names] of Object.entries(ENTRIES)) await buildEntry(entry, names);
}

async function buildEntry(entry: string, names: Readonly<Record<string, string>>): Promise<void> {
  await build({
    entryPoints: ['stacks/cdktf.ts'],
    outfile: join('dist', entry, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    alias: { ...names },
    external: OF_THE_APPLICATION.flatMap(name => [name, `${name}/*`]),
    plugins: [PREBUILT_ARCHIVES],
    logLevel: 'error',
  });
}
