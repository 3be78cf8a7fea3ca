import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { LICENCES_FILE, licencesOf } from '../../stacks/licences.ts';
import { compile } from './compile.ts';
import { copyDeclarations } from './declarations.ts';
import { PREBUILT_ARCHIVES } from './prebuilt.ts';
import { PREBUILT_WORKER } from './prebuilt-worker.ts';

const FOLDER = 'dist/testing';
const ENTRY = 'testing/index';

/** Not bundled: a test sends commands of its own copy to our client, and DynamoDB Local is large. */
const OF_THE_APPLICATION = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

/**
 * CDKTF 0.21, the last there is, calls util.isArray for every output, and Node warns of that; stacks/app.ts cannot stop it in
 * jest, whose `process` is another one. Its file stays as it is, as its licence would want a change told: it gets another util.
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

/** Otherwise the first thing that a test prints is where Node has looked for the SDK. */
const SAY_WHAT_IS_MISSING = `for (const name of ${JSON.stringify(OF_THE_APPLICATION)}) {
  try { require.resolve(name); } catch {
    throw new Error('precise-ttl/testing: expected the package ' + name + ', got none; npm install --save-dev ' + name);
  }
}`;

/**
 * `precise-ttl/testing`, with CDKTF and the emulator inside: once, as CommonJS, which jest can load. ES modules get the same
 * code through a module that hands on its names.
 */
export async function buildTesting(): Promise<void> {
  const { metafile } = await build({
    entryPoints: [`${ENTRY}.ts`],
    outfile: join(FOLDER, 'index.js'),
    bundle: true,
    // Not minified: test runners print the line at which an error was thrown.
    minifySyntax: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': 'preciseTtlUrl' },
    banner: {
      js: `${SAY_WHAT_IS_MISSING}\nconst preciseTtlUrl = require('node:url').pathToFileURL(__filename).href;`,
    },
    external: OF_THE_APPLICATION,
    plugins: [PREBUILT_ARCHIVES, PREBUILT_WORKER, WITHOUT_DEPRECATION],
    metafile: true,
    logLevel: 'error',
  });
  writeFileSync(join(FOLDER, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(FOLDER, LICENCES_FILE), licencesOf(inputsOf(metafile)));
  const names = Object.keys(createRequire(import.meta.url)(resolve(FOLDER, 'index.js')));
  writeFileSync(
    join(FOLDER, 'index.mjs'),
    `import testing from './index.js';\n\nexport const { ${names.sort().join(', ')} } = testing;\n`,
  );
  await declare();
}

/** What is left of the files that were read. */
function inputsOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

async function declare(): Promise<void> {
  const declarations = mkdtempSync(join(tmpdir(), 'precise-ttl-declarations-'));
  try {
    await compile('tsconfig.build.testing.json', ['--outDir', declarations]);
    copyDeclarations(ENTRY, declarations, join(FOLDER, 'types'));
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
  writeFileSync(join(FOLDER, 'index.d.mts'), `export * from './types/${ENTRY}.js';\n`);
}
