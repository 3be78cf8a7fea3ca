/**
 * `npm run test:nodes`: the tests of this package on the older versions of Node that its manifest
 * promises, which npm gets from the registry. `npm test` runs them on the one of the repository.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const VERSIONS = ['20', '22'];

const loader = pathToFileURL(join(import.meta.dirname, 'support/typescript-loader.mjs')).href;
const jest = join(import.meta.dirname, '../../node_modules/jest/bin/jest.js');

for (const version of VERSIONS) {
  console.log(`--- Node ${version}`);
  const { status } = spawnSync(
    'npm',
    ['exec', '--yes', `--package=node@${version}`, '--', 'node', jest, ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: `--import=${loader}` } },
  );
  if (status !== 0) process.exitCode = 1;
}
