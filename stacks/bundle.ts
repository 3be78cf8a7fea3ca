import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { strToU8, zipSync } from 'fflate';
import {
  PROOF_FUNCTIONS,
  type ProofFunctionName,
  STREAM_FUNCTIONS,
  type StreamFunctionName,
} from '../functions/function-list.ts';
import { BACKFILL_TASKS, type BackfillTaskName } from '../statemachine/backfill-contract.ts';
import { TASKS, type TaskName } from '../statemachine/contract/machines.ts';
import { LICENCES_FILE, licencesOf } from './licences.ts';

const FUNCTIONS = join(import.meta.dirname, '../functions');

/**
 * The options with which the bundles are built. ESM with the packages' own ES modules is smaller than CommonJS and imports faster;
 * docs/contributing/decisions.md has the measurements.
 */
const OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  // The oldest that functionRuntime takes.
  target: 'node22',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': join(FUNCTIONS, 'runtime/lambda-credentials.ts') },
  // CommonJS packages inside the bundle ask for Node's own modules with require, which ESM does not have. The long
  // name is one that the minifier does not choose too.
  banner: {
    js: "import{createRequire as preciseTtlRequire}from'node:module';const require=preciseTtlRequire(import.meta.url);",
  },
  outExtension: { '.js': '.mjs' },
  logLevel: 'error',
};

/** A bundled function. */
export interface Bundle {
  /** The ES module: `index.mjs` in a folder of its own. */
  readonly module: string;
  /** The zip archive with the module and the licences of what is bundled into it, the same bytes for the same module. */
  readonly archive: string;
}

/** The earliest time that a zip archive can hold: archives must not differ by when they were made. */
const ARCHIVED_AT = new Date(1980, 0, 1);

let ofSweep: Readonly<Record<TaskName, Bundle>> | undefined;
let ofBackfill: Readonly<Record<BackfillTaskName, Bundle>> | undefined;
let ofStream: Readonly<Record<StreamFunctionName, Bundle>> | undefined;
let ofProof: Readonly<Record<ProofFunctionName, Bundle>> | undefined;

/**
 * Bundles the four functions of the sweep and archives them. They are the same for all tables, so this is done once per
 * process; the files go when the process ends.
 */
export function bundleFunctions(): Readonly<Record<TaskName, Bundle>> {
  ofSweep ??= bundles(TASKS);
  return ofSweep;
}

/** The same of the functions of the backfill, which most deployments do not have. */
export function bundleBackfill(): Readonly<Record<BackfillTaskName, Bundle>> {
  ofBackfill ??= bundles(BACKFILL_TASKS);
  return ofBackfill;
}

/** The same of the functions that a table's stream calls. */
export function bundleStreamFunctions(): Readonly<Record<StreamFunctionName, Bundle>> {
  ofStream ??= bundles(STREAM_FUNCTIONS);
  return ofStream;
}

/** The same of the function that writes the manifests. */
export function bundleProof(): Readonly<Record<ProofFunctionName, Bundle>> {
  ofProof ??= bundles(PROOF_FUNCTIONS);
  return ofProof;
}

/**
 * The archives are made here and not by a `TerraformAsset` of type ARCHIVE: that one starts a process for each of them, in
 * every synthesis, and archives the time too.
 */
function bundles<Name extends string>(tasks: Readonly<Record<Name, string>>): Readonly<Record<Name, Bundle>> {
  const root = mkdtempSync(join(tmpdir(), 'precise-ttl-functions-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  const files = Object.entries<string>(tasks);
  const { metafile } = buildSync({
    ...OPTIONS,
    metafile: true,
    entryPoints: files.map(([, file]) => ({
      in: join(FUNCTIONS, file, 'handler.ts'),
      out: `${file}/index`,
    })),
    outdir: root,
  });
  const made = files.map(([name, file]) => {
    const bundle: Bundle = { module: join(root, file, 'index.mjs'), archive: join(root, `${file}.zip`) };
    writeFileSync(
      bundle.archive,
      zipSync(
        {
          'index.mjs': readFileSync(bundle.module),
          [LICENCES_FILE]: strToU8(licencesOf(bundledInto(bundle.module, metafile))),
        },
        { level: 9, mtime: ARCHIVED_AT },
      ),
    );
    return [name, bundle] as const;
  });
  return Object.fromEntries(made) as Readonly<Record<Name, Bundle>>;
}

/** The files that something of is in a module. */
function bundledInto(module: string, { outputs }: Metafile): string[] {
  // Paths are told relative to the working directory.
  const output = Object.entries(outputs).find(([file]) => resolve(file) === resolve(module))?.[1];
  return Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [resolve(file)] : [],
  );
}
