import type { Plugin } from 'esbuild';
import { pageFiles } from '../../dashboard/page-files.ts';

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
