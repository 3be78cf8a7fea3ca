import type { Plugin } from 'esbuild';
import { workerSource } from '../../local/functions/worker-source.ts';

/** Lets a bundle hold the program of the functions' threads as a text: the package has no TypeScript and no compiler. */
export const PREBUILT_WORKER: Plugin = {
  name: 'prebuilt-worker',
  setup: build => {
    build.onLoad({ filter: /[/\\]local[/\\]functions[/\\]worker-source\.ts$/ }, () => ({
      contents: `export const workerSource = () => ${JSON.stringify(workerSource())};`,
      loader: 'js',
    }));
  },
};
