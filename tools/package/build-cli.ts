import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { LICENCES_FILE, licencesOf } from './licences.ts';
import { PREBUILT_ARCHIVES, PREBUILT_PAGE, PREBUILT_SWEEP_PAGE, PREBUILT_WORKER } from './prebuilt.ts';

const FOLDER = 'dist/cli';

/**
 * Builds the command `precise-ttl` with all its dependencies inside, so that users of the data model install no other package. Each
 * command is a separate file, with further files for shared code, so that only commands that need CDKTF or the SDK load them. DynamoDB
 * Local is not included: see aws-on-loopback/src/dynamodb/jar.ts.
 */
export async function buildCli(): Promise<void> {
  const { metafile } = await build({
    entryPoints: { main: 'cli/main.ts' },
    outdir: FOLDER,
    bundle: true,
    splitting: true,
    // Line breaks are kept: Node prints the line of an error, which would be the whole program.
    minifySyntax: true,
    minifyIdentifiers: true,
    // Names are kept for stacks of internal errors, and for classes that are recognized by name: cli/command.ts.
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    outExtension: { '.js': '.mjs' },
    // CommonJS packages inside the bundle load Node's own modules with require, which ESM does not have.
    banner: {
      js: "import{createRequire as preciseTtlRequire}from'node:module';const require=preciseTtlRequire(import.meta.url);",
    },
    plugins: [PREBUILT_ARCHIVES, PREBUILT_PAGE, PREBUILT_SWEEP_PAGE, PREBUILT_WORKER],
    metafile: true,
    logLevel: 'error',
  });
  writeFileSync(join(FOLDER, LICENCES_FILE), licencesOf(Object.keys(metafile.inputs)));
}
