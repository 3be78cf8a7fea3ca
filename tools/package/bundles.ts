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

/** The functions' archives, for every entry that provisions something. */
export async function copyArchives(): Promise<void> {
  mkdirSync('dist/functions', { recursive: true });
  for (const task of ALL_FUNCTIONS)
    copyFileSync(archiveOf(task), join('dist/functions', `${fileOf(task)}.zip`));
  writeFileSync(join('dist/functions', LICENCES_FILE), licencesOf(bundledFiles()));
}

/** Not bundled: a second copy of a class is another class, and the stack belongs to the application. */
const PACKAGES_OF_A_STACK = ['cdktf', 'cdktn', 'constructs', '@cdktf/provider-aws', '@cdktn/provider-aws'];

/** `precise-ttl/cdktf`, and `precise-ttl/cdktn` with other names in the place of CDKTF's packages. */
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

/** A test sends commands of its own copy of the SDK to the client that it gets, which is of that copy, too. */
const CLIENT_OF_THE_TEST: Plugin = {
  name: 'client-of-the-test',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@aws-sdk\// }, ({ path, importer }) =>
      /[/\\]local[/\\]testing[/\\]start\.ts$/.test(importer) ? { path, external: true } : undefined,
    );
  },
};

/** Of a CommonJS package, import() has no names after esbuild has split it: the clients of the SDK are taken as ES modules. */
const CLIENTS: Plugin = {
  name: 'clients',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@aws-sdk\/(client-[\w-]+|lib-dynamodb)$/ }, ({ path }) => ({
      path: resolve('node_modules', path, 'dist-es/index.js'),
    }));
  },
};

/**
 * The command and `precise-ttl/testing`, with all that they need inside but DynamoDB Local, so that users of the data model install no other
 * package. Both share files, and each command loads only what it needs.
 */
export async function bundlePrograms(): Promise<void> {
  const folder = 'dist/node';
  const { metafile } = await build({
    ...ON_NODE,
    entryPoints: { command: 'bin/commands.ts', testing: 'local/testing/index.ts' },
    outdir: folder,
    splitting: true,
    // Line breaks are kept: Node and test runners print the line of an error. Names are kept for stacks, and for classes that are
    // recognized by name: cli/command.ts.
    minifySyntax: true,
    minifyIdentifiers: true,
    keepNames: true,
    // CommonJS packages inside the bundle load Node's own modules with require, which ESM does not have.
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
