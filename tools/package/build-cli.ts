import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { LICENCES_FILE, licencesOf } from '../../stacks/licences.ts';
import { PREBUILT_ARCHIVES } from './prebuilt.ts';
import { PREBUILT_PAGE } from './prebuilt-page.ts';
import { PREBUILT_SWEEP_PAGE } from './prebuilt-sweep-page.ts';
import { PREBUILT_WORKER } from './prebuilt-worker.ts';

const FOLDER = 'dist/cli';

/**
 * The command `precise-ttl`, with everything that it needs inside: who installs the package for its data model gets no other
 * package. Each command is a file of its own, with what it shares with others in further ones, so that none loads CDKTF or the
 * SDK that does not use it. DynamoDB Local is not in it: local/dynamodb/jar.ts.
 */
export async function buildCli(): Promise<void> {
  const { metafile } = await build({
    entryPoints: { main: 'cli/main.ts' },
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    // Whitespace stays: Node shows the line of an error, and the whole program would be one.
    minifySyntax: true,
    minifyIdentifiers: true,
    // Stacks of our own faults, and classes that are told by their names: cli/emulator-error.ts.
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    inject: [join(import.meta.dirname, 'node-20.ts')],
    outExtension: { '.js': '.mjs' },
    // CommonJS packages inside the bundle ask for Node's own modules with require, which ESM does not have.
    banner: {
      js: "import{createRequire as preciseTtlRequire}from'node:module';const require=preciseTtlRequire(import.meta.url);",
    },
    plugins: [PREBUILT_ARCHIVES, PREBUILT_PAGE, PREBUILT_SWEEP_PAGE, PREBUILT_WORKER],
    metafile: true,
    logLevel: 'error',
  });
  writeFileSync(join(FOLDER, LICENCES_FILE), licencesOf(Object.keys(metafile.inputs)));
}
