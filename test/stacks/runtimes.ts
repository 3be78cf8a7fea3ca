/**
 * Part of `npm run test:nodes`: each bundle is loaded by the older versions of Node that `functionRuntime` takes, which npm gets from the
 * registry. `npm test` runs the functions on the one of the repository.
 */
import { spawnSync } from 'node:child_process';
import { bundleFunctions, bundleProof, bundleStreamFunctions } from '../../stacks/bundle.ts';

const versions = ['24', '22'];
const bundles = { ...bundleFunctions(), ...bundleStreamFunctions(), ...bundleProof() };
const modules = Object.values(bundles).map(bundle => bundle.module);
const script = `for (const file of process.argv.slice(1)) {
  const { handler } = await import(file);
  if (typeof handler !== 'function') throw new Error(file + ': expected a handler, got ' + typeof handler);
}
console.log(process.argv.length - 1 + ' functions are loaded by Node ' + process.version);`;

for (const version of versions) {
  const { status } = spawnSync(
    'npm',
    [
      'exec',
      '--yes',
      `--package=node@${version}`,
      '--',
      'node',
      '--input-type=module',
      '-e',
      script,
      ...modules,
    ],
    { stdio: 'inherit', env: { ...process.env, AWS_REGION: 'us-east-1' } },
  );
  if (status !== 0) process.exitCode = 1;
}
