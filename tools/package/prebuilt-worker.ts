import type { Plugin } from 'esbuild';
import { workerSource } from '../../local/functions/worker-source.ts';

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
