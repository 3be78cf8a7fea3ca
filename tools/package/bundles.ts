import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import { archiveOf } from '../../stacks/archives.ts';
import { bundledFiles } from '../../stacks/bundle.ts';
import { TERRAIN } from './build-types.ts';
import { LICENCES_FILE, licencesOf } from './licences.ts';
import { PREBUILT } from './prebuilt.ts';

const ON_NODE: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'error',
};

/** The part of the package that applications and browsers run. */
export async function bundleDataModel(): Promise<void> {
  await build({
    entryPoints: ['expiry/index.ts', 'expiry/data-model.ts'],
    outdir: 'dist/esm',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
  });
}

/** Copies the functions' archives: all entries that create functions read these files. */
export async function copyArchives(): Promise<void> {
  mkdirSync('dist/functions', { recursive: true });
  for (const task of ALL_FUNCTIONS)
    copyFileSync(archiveOf(task), join('dist/functions', `${fileOf(task)}.zip`));
  writeFileSync(join('dist/functions', LICENCES_FILE), licencesOf(bundledFiles()));
}

/** Not bundled: the application's stack needs the application's own copy of these classes. */
const PACKAGES_OF_A_STACK = ['cdktf', 'cdktn', 'constructs', '@cdktf/provider-aws', '@cdktn/provider-aws'];

/** Bundles `precise-ttl/cdktf`, and `precise-ttl/cdktn` with CDK Terrain's packages instead of CDKTF's packages. */
export async function bundleConstructs(): Promise<void> {
  for (const [entry, alias] of Object.entries({ cdktf: {}, cdktn: TERRAIN })) {
    await build({
      ...ON_NODE,
      entryPoints: ['stacks/cdktf.ts'],
      outfile: join('dist', entry, 'index.js'),
      alias,
      external: PACKAGES_OF_A_STACK.flatMap(name => [name, `${name}/*`]),
      plugins: [PREBUILT],
    });
  }
}

/** A test gets a client of the test's own copy of the SDK, because the test sends commands of this copy. */
const CLIENT_OF_THE_TEST: Plugin = {
  name: 'client-of-the-test',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@aws-sdk\// }, ({ path, importer }) =>
      /[/\\]local[/\\]testing[/\\]start\.ts$/.test(importer) ? { path, external: true } : undefined,
    );
  },
};

/** Bundles the SDK's clients as ES modules: after splitting, import() of a CommonJS package has no named exports. */
const CLIENTS: Plugin = {
  name: 'clients',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@aws-sdk\/(client-[\w-]+|lib-dynamodb)$/ }, ({ path }) => ({
      path: resolve('node_modules', path, 'dist-es/index.js'),
    }));
  },
};

/**
 * Bundles the command and `precise-ttl/testing` with all dependencies except DynamoDB Local: users of the data model install no other
 * package. Both bundles share files, and each command loads only its own files.
 */
export async function bundlePrograms(): Promise<void> {
  const folder = 'dist/node';
  const { metafile } = await build({
    ...ON_NODE,
    entryPoints: { command: 'bin/commands.ts', testing: 'local/testing/index.ts' },
    outdir: folder,
    splitting: true,
    // Line breaks stay: Node and test runners print the line of an error. Names stay for stack traces, and because cli/command.ts
    // recognizes classes by name.
    minifySyntax: true,
    minifyIdentifiers: true,
    keepNames: true,
    // CommonJS packages in the bundle load Node's modules with require. ES modules have no require.
    banner: {
      js: "import{createRequire as preciseTtlRequire}from'node:module';const require=preciseTtlRequire(import.meta.url);",
    },
    plugins: [PREBUILT, CLIENT_OF_THE_TEST, CLIENTS],
    metafile: true,
  });
  const inside = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  writeFileSync(join(folder, LICENCES_FILE), licencesOf(inside));
}
