import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { zipSync } from 'fflate';
import { ALL_FUNCTIONS, type FunctionName, fileOf } from '../functions/function-list.ts';

const FUNCTIONS = join(import.meta.dirname, '../functions');

/**
 * ESM with the packages' own ES modules is smaller than CommonJS and imports faster; docs/contributing/decisions.md has the measurements.
 */
const OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  // An override can say nodejs22.x, for a region without a later runtime.
  target: 'node22',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': join(FUNCTIONS, 'runtime/lambda-credentials.ts') },
  // CommonJS packages in the bundle load Node's modules with require, which ESM does not have. The minifier chooses only short names, so
  // the long name is unique.
  banner: {
    js: "import{createRequire as preciseTtlRequire}from'node:module';const require=preciseTtlRequire(import.meta.url);",
  },
  outExtension: { '.js': '.mjs' },
  logLevel: 'error',
};

export interface Bundle {
  readonly module: string;
  readonly archive: string;
}

/** A zip archive cannot hold an earlier time. With a fixed time the archives do not depend on the time of the build. */
const ARCHIVED_AT = new Date(1980, 0, 1);

let made: Readonly<Record<FunctionName, Bundle>> | undefined;
let sources: readonly string[] = [];

/**
 * The functions are the same for all tables: they are bundled once per process, and the files are removed when the process ends. A
 * `TerraformAsset` of type ARCHIVE would start a process for each function, in every synthesis, and put the time into the archive.
 * `tools/package/bundles.ts` replaces this file in the npm package, which has no bundler.
 */
export function bundleFunctions(): Readonly<Record<FunctionName, Bundle>> {
  if (made !== undefined) return made;
  const root = mkdtempSync(join(tmpdir(), 'precise-ttl-functions-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  const files = ALL_FUNCTIONS.map(name => [name, fileOf(name)] as const);
  const { metafile } = buildSync({
    ...OPTIONS,
    metafile: true,
    entryPoints: files.map(([, file]) => ({
      in: join(FUNCTIONS, file, 'handler.ts'),
      out: `${file}/index`,
    })),
    outdir: root,
  });
  sources = Object.entries(metafile.inputs).flatMap(([file, { bytes }]) => (bytes > 0 ? [file] : []));
  const archived = files.map(([name, file]) => {
    const bundle: Bundle = { module: join(root, file, 'index.mjs'), archive: join(root, `${file}.zip`) };
    const zip = zipSync({ 'index.mjs': readFileSync(bundle.module) }, { level: 9, mtime: ARCHIVED_AT });
    writeFileSync(bundle.archive, zip);
    return [name, bundle] as const;
  });
  made = Object.fromEntries(archived) as Record<FunctionName, Bundle>;
  return made;
}

export function bundledFiles(): readonly string[] {
  bundleFunctions();
  return sources;
}
