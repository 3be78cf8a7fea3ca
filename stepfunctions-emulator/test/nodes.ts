/**
 * `npm run test:nodes`: the tests of this package on the older versions of Node that its manifest
 * promises, which npm gets from the registry. `npm test` runs them on the one of the repository.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * What is run on each, as jest's arguments. The oldest has the least of the language and of Node's modules: there it is all but what takes
 * long and asks for nothing of Node. Where that passes, Node 22 differs in how it loads modules and TypeScript.
 */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  20: [
    ...['/node_modules/', '\\.browser\\.test\\.ts$', 'interpreter/(fuzz|endless-loop)\\.test\\.ts$'].flatMap(
      each => ['--testPathIgnorePatterns', each],
    ),
  ],
  22: ['test/cli', 'test/testing'],
};

const loader = pathToFileURL(join(import.meta.dirname, 'support/typescript-loader.mjs')).href;
const jest = join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');

for (const [version, tests] of Object.entries(VERSIONS)) {
  console.log(`--- Node ${version}`);
  const { status } = spawnSync(
    'npm',
    ['exec', '--yes', `--package=node@${version}`, '--', 'node', jest, ...tests, ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: `--import=${loader}` } },
  );
  if (status !== 0) process.exitCode = 1;
}
