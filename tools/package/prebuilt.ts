import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { pageFiles } from '../../cli/dashboard/page-files.ts';
import { workerSource } from '../../local/functions/worker-source.ts';
import { bundlePage } from '../../packages/stepfunctions-emulator/page/bundle.ts';
import { LICENCES_FILE, licencesOf } from './licences.ts';

/** The page of the Step Functions port is stored here once, beside the folders of the modules that show it. */
const FOLDER = 'dist/page';
const FILES = { script: 'page.js', style: 'page.css' };

/** Writes the page's script and style, and the licences of the bundled packages. */
export async function buildPage(): Promise<void> {
  const { script, style, files } = await bundlePage();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, FILES.script), script);
  writeFileSync(join(FOLDER, FILES.style), style);
  // dagre contains graphlib.
  const inside = files.map(file => file.replace('/@dagrejs/dagre/', '/@dagrejs/graphlib/'));
  writeFileSync(join(FOLDER, LICENCES_FILE), licencesOf([...files, ...inside]));
}

/** Replaces stepfunctions-emulator/src/page/page-source.ts. @param folder path of the page, relative to the module */
const asModule = (folder: string): string => `import { readFileSync } from 'node:fs';
const read = name => readFileSync(new URL('${folder}/' + name, import.meta.url), 'utf8');
export const pageSource = async () => ({ script: read('${FILES.script}'), style: read('${FILES.style}') });
`;

/** Lets a bundle in a folder of `dist` read the built page: the package has no bundler. */
export const PREBUILT_PAGE: Plugin = {
  name: 'prebuilt-page',
  setup: build => {
    build.onLoad({ filter: /[/\\]page[/\\]page-source\.ts$/ }, () => ({
      contents: asModule('../page'),
      loader: 'js',
    }));
  },
};

/** Builds the page for the emulator's own package, whose modules are not bundled. */
export async function buildEmulatorPage(): Promise<void> {
  await buildPage();
  writeFileSync('dist/esm/page/page-source.js', asModule('../../page'));
}

/** Lets a bundle hold the files of the page as texts: the package has no TypeScript and no compiler. */
export const PREBUILT_SWEEP_PAGE: Plugin = {
  name: 'prebuilt-sweep-page',
  setup: build => {
    build.onLoad({ filter: /[/\\]dashboard[/\\]page-files\.ts$/ }, async () => ({
      contents: `export const pageFiles = async () => new Map(${JSON.stringify([...(await pageFiles())])});`,
      loader: 'js',
    }));
  },
};

/** Lets a bundle contain the program of the functions' threads as text: the package has neither TypeScript nor a compiler. */
export const PREBUILT_WORKER: Plugin = {
  name: 'prebuilt-worker',
  setup: build => {
    build.onLoad({ filter: /[/\\]local[/\\]functions[/\\]worker-source\.ts$/ }, () => ({
      contents: `export const workerSource = () => ${JSON.stringify(workerSource())};`,
      loader: 'js',
    }));
  },
};

/** Lets a bundle read the functions' archives from `dist/functions`, for every entry that provisions resources. */
export const PREBUILT_ARCHIVES: Plugin = {
  name: 'prebuilt-archives',
  setup: build => {
    build.onResolve({ filter: /\/archives\.ts$/ }, () => ({
      path: join(import.meta.dirname, 'prebuilt-archives.ts'),
    }));
  },
};
