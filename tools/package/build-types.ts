import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from './compile.ts';
import { copyDeclarations } from './declarations.ts';

/** Modules whose declarations applications read: the entries of the package. */
const ENTRIES = ['expiry/index', 'expiry/data-model', 'stacks/cdktf', 'testing/index'];
/** CDK Terrain is CDKTF under other names. */
export const TERRAIN = { cdktf: 'cdktn', '@cdktf/provider-aws': '@cdktn/provider-aws' };

/** The declarations of all entries, which share most of them, in `dist/types`; those for CDK Terrain in `dist/cdktn/types`. */
export async function buildTypes(): Promise<void> {
  const declarations = mkdtempSync(join(tmpdir(), 'precise-ttl-declarations-'));
  try {
    await compile('tsconfig.build.types.json', ['--outDir', declarations]);
    const copied = new Set<string>();
    for (const entry of ENTRIES) copyDeclarations(entry, declarations, 'dist/types', {}, copied);
    copyDeclarations('stacks/cdktf', declarations, 'dist/cdktn/types', TERRAIN);
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
}
