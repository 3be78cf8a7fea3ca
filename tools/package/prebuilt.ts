import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { pageFiles } from '../../cli/dashboard/page-files.ts';
import { workerSource } from '../../local/functions/worker-source.ts';
import { bundlePage } from '../../packages/stepfunctions-emulator/page/bundle.ts';
import { LICENCES_FILE, licencesOf } from './licences.ts';

/** Folder of the emulator's page. Several modules of the package read this one copy. */
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

/** Replaces stepfunctions-emulator/src/page/page-source.ts. @param folder path of the page, relative to the module */
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
  'stacks/archives.ts': () =>
    `import { join } from 'node:path'; import { fileOf } from '../functions/function-list.ts';
     export const archiveOf = name => join(import.meta.dirname, '../functions', fileOf(name) + '.zip');`,
  'packages/stepfunctions-emulator/src/page/page-source.ts': () => pageSource('../page'),
  'cli/dashboard/page-files.ts': async () =>
    `export const pageFiles = async () => new Map(${JSON.stringify([...(await pageFiles())])});`,
  'local/functions/worker-source.ts': () =>
    `export const workerSource = () => ${JSON.stringify(workerSource())};`,
};

export const PREBUILT: Plugin = {
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
