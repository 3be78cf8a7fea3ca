import type { Plugin } from 'esbuild';
import { buildLibrary } from './build-library.ts';
import { PREBUILT_ARCHIVES } from './prebuilt.ts';
import { PREBUILT_PAGE } from './prebuilt-page.ts';
import { PREBUILT_WORKER } from './prebuilt-worker.ts';

/** Not bundled: a test sends commands of its own copy of the SDK to our client, and DynamoDB Local is large. */
const OF_THE_APPLICATION = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

/**
 * CDKTF 0.21, the last version, calls util.isArray for every output, and Node warns of that; stacks/app.ts cannot suppress the warning in
 * jest, which has another `process`. Its file stays unchanged, because its licence requires changes to be declared: it gets another util.
 */
const WITHOUT_DEPRECATION: Plugin = {
  name: 'without-deprecation',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^util$/ }, ({ importer }) =>
      /[/\\]cdktf[/\\]lib[/\\]terraform-output\.js$/.test(importer)
        ? { path: 'util', namespace: 'without-deprecation' }
        : undefined,
    );
    onLoad({ filter: /^util$/, namespace: 'without-deprecation' }, () => ({
      contents: "module.exports = { ...require('node:util'), isArray: Array.isArray };",
      loader: 'js',
    }));
  },
};

/** Without this, a test would first print the paths in which Node searched for the SDK. */
const SAY_WHAT_IS_MISSING = `for (const name of ${JSON.stringify(OF_THE_APPLICATION)}) {
  try { require.resolve(name); } catch {
    throw new Error('precise-ttl/testing: expected the package ' + name + ', got none; npm install --save-dev ' + name);
  }
}`;

/** `precise-ttl/testing`, with CDKTF and the emulator inside. */
export async function buildTesting(): Promise<void> {
  await buildLibrary({
    room: 'testing',
    external: OF_THE_APPLICATION,
    plugins: [PREBUILT_ARCHIVES, PREBUILT_PAGE, PREBUILT_WORKER, WITHOUT_DEPRECATION],
    banner: SAY_WHAT_IS_MISSING,
  });
}
