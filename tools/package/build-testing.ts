import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { LICENCES_FILE, licencesOf } from './licences.ts';
import { PREBUILT_ARCHIVES, PREBUILT_PAGE, PREBUILT_WORKER } from './prebuilt.ts';

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

/** `precise-ttl/testing` with everything that it needs inside, CDKTF and the emulator among it. */
export async function buildTesting(): Promise<void> {
  const folder = 'dist/testing';
  const { metafile } = await build({
    entryPoints: ['local/testing/index.ts'],
    outfile: join(folder, 'index.js'),
    bundle: true,
    // Line breaks are kept: test runners print the source line of an error. Names are kept for stacks, and for classes known by name.
    minifySyntax: true,
    minifyIdentifiers: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // CommonJS packages inside the bundle load Node's own modules with require, which ESM does not have.
    banner: {
      js: "import { createRequire as preciseTtlRequire } from 'node:module';\nconst require = preciseTtlRequire(import.meta.url);",
    },
    external: OF_THE_APPLICATION,
    plugins: [PREBUILT_ARCHIVES, PREBUILT_PAGE, PREBUILT_WORKER, WITHOUT_DEPRECATION],
    metafile: true,
    logLevel: 'error',
  });
  writeFileSync(join(folder, LICENCES_FILE), licencesOf(inputsOf(metafile)));
}

/** The files whose code is in the bundle. */
function inputsOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}
