import { join } from 'node:path';
import { build } from 'esbuild';

export interface BundledPage {
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

/** Bundles the page for browsers. The bundle contains the packages that the page imports. */
export async function bundlePage(): Promise<BundledPage> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.ts', 'style.css'].map(file => join(import.meta.dirname, 'browser', file)),
    outdir: 'out',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    // The comments with licences are left out: a separate file of the published package contains the licences.
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
  });
  const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css'), files: Object.keys(metafile.inputs) };
}
