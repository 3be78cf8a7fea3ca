import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { pageFiles } from '../../cli/dashboard/page-files.ts';
import { ALL_FUNCTIONS, fileOf } from '../../functions/function-list.ts';
import { workerSource } from '../../local/functions/worker-source.ts';
import { bundlePage } from '../../packages/stepfunctions-emulator/page/bundle.ts';
import { bundledFiles, bundleFunctions } from '../../stacks/bundle.ts';
import { LICENCES_FILE, licencesOf } from './licences.ts';

const OPTIONS: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'error',
};

/** Bundles `precise-ttl` and `precise-ttl/data-model` for applications and browsers. */
export async function bundleDataModel(): Promise<void> {
  await build({
    ...OPTIONS,
    entryPoints: ['expiry/index.ts', 'expiry/data-model.ts'],
    outdir: 'dist/esm',
    splitting: true,
    platform: 'neutral',
    target: 'es2022',
  });
}

/** Copies the functions' ZIP archives to dist/functions, where the bundled constructs and commands read them. */
export async function copyArchives(): Promise<void> {
  mkdirSync('dist/functions', { recursive: true });
  for (const task of ALL_FUNCTIONS)
    copyFileSync(bundleFunctions()[task].archive, join('dist/functions', `${fileOf(task)}.zip`));
  writeFileSync(join('dist/functions', LICENCES_FILE), licencesOf(bundledFiles()));
}

/** Packages that are not bundled, because all constructs of a stack must use the same copy of a package: the application's. */
const PACKAGES_OF_A_STACK = ['cdktf', 'cdktn', 'constructs', '@cdktf/provider-aws', '@cdktn/provider-aws'];

/** Package of CDKTF → package that replaces it in a bundle for CDK Terrain, a fork of CDKTF. */
export const TERRAIN = { cdktf: 'cdktn', '@cdktf/provider-aws': '@cdktn/provider-aws' };

/** Bundles `precise-ttl/cdktf`, and `precise-ttl/cdktn` with CDK Terrain's packages instead of CDKTF's packages. */
export async function bundleConstructs(): Promise<void> {
  for (const [entry, alias] of Object.entries({ cdktf: {}, cdktn: TERRAIN })) {
    await build({
      ...OPTIONS,
      entryPoints: ['stacks/cdktf.ts'],
      outfile: join('dist', entry, 'index.js'),
      alias,
      external: PACKAGES_OF_A_STACK.flatMap(name => [name, `${name}/*`]),
      plugins: [PREBUILT],
    });
  }
}

/** Leaves the SDK of local/testing/start.ts out of the bundle: its client and the SDK commands of a user's test must be of one copy. */
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
 * Bundles the command line and `precise-ttl/testing` with their dependencies, so that npm installs no other package with this one.
 * Both bundles share files, and each subcommand loads only the files that it needs.
 */
export async function bundlePrograms(): Promise<void> {
  const folder = 'dist/node';
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: { command: 'bin/commands.ts', testing: 'local/testing/index.ts' },
    outdir: folder,
    splitting: true,
    // Line breaks stay, because Node and test runners print the line of an error, which would otherwise be the whole file. Names stay
    // for stack traces, and because cli/command.ts recognizes classes by name.
    minifySyntax: true,
    minifyIdentifiers: true,
    keepNames: true,
    // Without this option, comments would contain where node_modules is on this machine if it is a symbolic link.
    preserveSymlinks: true,
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

/** Folder of the files of the emulator's web page. */
const FOLDER = 'dist/page';
const FILES = { script: 'page.js', style: 'page.css' };

export async function buildPage(): Promise<void> {
  const { script, style, files } = await bundlePage();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, FILES.script), script);
  writeFileSync(join(FOLDER, FILES.style), style);
  // The file of dagre contains graphlib: the licence of graphlib is needed, too.
  const inside = files.map(file => file.replace('/@dagrejs/dagre/', '/@dagrejs/graphlib/'));
  writeFileSync(join(FOLDER, LICENCES_FILE), licencesOf([...files, ...inside]));
}

/** Returns code that replaces the emulator's `page-source.ts` in published packages. @param folder path from the returned code to FOLDER */
const pageSource = (folder: string): string => `import { readFileSync } from 'node:fs';
const read = name => readFileSync(new URL('${folder}/' + name, import.meta.url), 'utf8');
export const pageSource = async () => ({ script: read('${FILES.script}'), style: read('${FILES.style}') });
`;

export async function buildEmulatorPage(): Promise<void> {
  await buildPage();
  writeFileSync('dist/esm/page/page-source.js', pageSource('../../page'));
}

/** Module that needs a compiler or a bundler → text that replaces the module in bundles: the package has no compiler. */
const MODULES: Readonly<Record<string, () => string | Promise<string>>> = {
  'stacks/bundle.ts': () =>
    `import { join } from 'node:path'; import { ALL_FUNCTIONS, fileOf } from '../functions/function-list.ts';
     const archive = name => join(import.meta.dirname, '../functions', fileOf(name) + '.zip');
     export const bundleFunctions = () => Object.fromEntries(ALL_FUNCTIONS.map(name => [name, { archive: archive(name) }]));`,
  'stepfunctions-emulator/src/page/page-source.ts': () => pageSource('../page'),
  'cli/dashboard/page-files.ts': async () =>
    `export const pageFiles = async () => new Map(${JSON.stringify([...(await pageFiles())])});`,
  'local/functions/worker-source.ts': () =>
    `export const workerSource = () => ${JSON.stringify(workerSource())};`,
};

const PREBUILT: Plugin = {
  name: 'prebuilt',
  setup: ({ onLoad }) => {
    for (const [file, contents] of Object.entries(MODULES)) {
      const path = file.replaceAll('.', '\\.').replaceAll('/', '[/\\\\]');
      onLoad({ filter: new RegExp(`[/\\\\]${path}$`) }, async ({ path: module }) => ({
        contents: await contents(),
        loader: 'js',
        resolveDir: dirname(module),
      }));
    }
  },
};
