import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { zipSync } from 'fflate';
import { ALL_FUNCTIONS, type FunctionName, fileOf } from '../functions/function-list.ts';

const FUNCTIONS = join(import.meta.dirname, '../functions');

/** Options of esbuild. ES modules are smaller and faster to import than CommonJS: see docs/contributing/decisions.md. */
const OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  // The oldest runtime on which the functions can run: users set nodejs22.x by `overrides` in a region that has no later one.
  target: 'node22',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': join(FUNCTIONS, 'runtime/lambda-credentials.ts') },
  // Defines `require` for bundled CommonJS packages, because an ES module has none. `preciseTtlRequire` clashes with no name in a package.
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
 * Bundles and archives the functions once per process. A `TerraformAsset` of type ARCHIVE would contain the present time, and therefore
 * differ after each synthesis. In the npm package, `tools/package/bundles.ts` replaces this function by the archives of the build.
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
