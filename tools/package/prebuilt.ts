import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Lets a bundle read the functions' archives from `dist/functions`, for every entry that provisions resources. */
export const PREBUILT_ARCHIVES: Plugin = {
  name: 'prebuilt-archives',
  setup: build => {
    build.onResolve({ filter: /\/archives\.ts$/ }, () => ({
      path: join(import.meta.dirname, 'prebuilt-archives.ts'),
    }));
  },
};
