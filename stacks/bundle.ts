import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { TASKS, type TaskName } from '../statemachine/contract.ts';

const FUNCTIONS = join(import.meta.dirname, '../functions');

/** Handler of every bundle: the export `handler` of `index.mjs`. */
export const HANDLER = 'index.handler';

/**
 * What the bundles are built with. ESM with the packages' own ES modules is a third smaller and imports three times
 * faster than CommonJS; docs/decisions.md has the measurements.
 */
const OPTIONS: BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  alias: { '@aws-sdk/credential-provider-node': join(FUNCTIONS, 'lib/lambda-credentials.ts') },
  // CommonJS packages inside the bundle ask for Node's own modules with require, which ESM does not have. The long
  // name is one that the minifier does not choose too.
  banner: {
    js: "import{createRequire as preciseTtlRequire}from'node:module';const require=preciseTtlRequire(import.meta.url);",
  },
  outExtension: { '.js': '.mjs' },
  logLevel: 'error',
};

let bundled: Readonly<Record<TaskName, string>> | undefined;

/**
 * Bundles the four functions and returns the folder of each, holding one `index.mjs`. They are the same for all
 * tables, so they are built once per process; the folders go when the process ends.
 */
export function bundleFunctions(): Readonly<Record<TaskName, string>> {
  if (!bundled) {
    const root = mkdtempSync(join(tmpdir(), 'precise-ttl-functions-'));
    process.once('exit', () => rmSync(root, { recursive: true, force: true }));
    buildSync({
      ...OPTIONS,
      entryPoints: Object.values(TASKS).map(file => ({
        in: join(FUNCTIONS, `${file}.ts`),
        out: `${file}/index`,
      })),
      outdir: root,
    });
    bundled = Object.fromEntries(
      Object.entries(TASKS).map(([name, file]) => [name, join(root, file)]),
    ) as Readonly<Record<TaskName, string>>;
  }
  return bundled;
}
