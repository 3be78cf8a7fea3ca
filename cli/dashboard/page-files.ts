import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFile } from './server.ts';

const FOLDER = join(import.meta.dirname, 'page');

/** The files that are served unchanged, by their names. The page itself has the empty name. */
const PLAIN = {
  '': ['index.html', 'text/html; charset=utf-8'],
  'style.css': ['style.css', 'text/css; charset=utf-8'],
  'icon.svg': ['icon.svg', 'image/svg+xml'],
} as const;

/** Makes the files of the page. For the npm package, `tools/package/bundles.ts` makes these files at the build. */
export async function pageFiles(): Promise<Map<string, PageFile>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, 'main.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  const files = new Map<string, PageFile>();
  for (const [name, [file, type]] of Object.entries(PLAIN)) {
    files.set(name, { type, body: readFileSync(join(FOLDER, file), 'utf8') });
  }
  const [script] = outputFiles;
  return files.set('page.js', { type: 'text/javascript; charset=utf-8', body: script?.text ?? '' });
}
