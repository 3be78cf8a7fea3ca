import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { zipSync } from 'fflate';
import { ALL_FUNCTIONS, type FunctionName, fileOf } from '../functions/function-list.ts';

const FUNCTIONS = join(import.meta.dirname, '../functions');

/** ES modules make a bundle that is smaller and faster to import than CommonJS: see docs/contributing/decisions.md. */
const OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  // A region may have no later runtime: `overrides` in the configuration can set nodejs22.x.
  target: 'node22',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': join(FUNCTIONS, 'runtime/lambda-credentials.ts') },
  // Packages in CommonJS load Node's modules by `require`, which an ES module does not have. The imported function has a long name,
  // because the minifier uses short names.
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

/** The time of each file in an archive: always the same, so that the same code gives the same archive. Zip has no earlier year. */
const ARCHIVED_AT = new Date(1980, 0, 1);

let made: Readonly<Record<FunctionName, Bundle>> | undefined;
let sources: readonly string[] = [];

/**
 * Bundles and archives the functions once per process. A `TerraformAsset` of type ARCHIVE would write the present time into its archive.
 * In the npm package, `tools/package/bundles.ts` replaces this function by the archives of the build.
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
