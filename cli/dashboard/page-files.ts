import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PageFile {
  readonly type: string;
  readonly body: string;
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'page', name), 'utf8');

/** Makes the files of the dashboard's page, by name. For the npm package, `tools/package/bundles.ts` makes them in advance. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { transform } = await import('esbuild');
  const { code } = await transform(read('main.ts'), { loader: 'ts', minify: true, target: 'es2022' });
  return new Map([
    ['', { type: 'text/html; charset=utf-8', body: read('index.html') }],
    ['style.css', { type: 'text/css; charset=utf-8', body: read('style.css') }],
    ['icon.svg', { type: 'image/svg+xml', body: read('icon.svg') }],
    ['page.js', { type: 'text/javascript; charset=utf-8', body: code }],
  ]);
}
