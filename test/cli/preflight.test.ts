import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
const PREFLIGHT = join(ROOT, 'cli/preflight.cjs');
const { scripts, devDependencies, allowScripts } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as Record<'scripts' | 'devDependencies' | 'allowScripts', Record<string, string>>;

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'precise-ttl-preflight-test-'));
  for (const folder of ['bin', 'cli']) mkdirSync(join(checkout, folder));
  cpSync(PREFLIGHT, join(checkout, 'cli/preflight.cjs'));
  cpSync(join(ROOT, 'package.json'), join(checkout, 'package.json'));
  writeFileSync(join(checkout, 'bin/precise-ttl.js'), "console.log(process.argv[2] + 'ed');");
  writeFileSync(
    join(checkout, 'old.cjs'),
    `Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });`,
  );
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

/** Makes the package as `npm ci` installs it. */
function install(): void {
  mkdirSync(join(checkout, 'node_modules/node'), { recursive: true });
  writeFileSync(join(checkout, 'node_modules/node/package.json'), '{}');
}

/** Runs what `npm start` runs in the checkout. */
function start(before: readonly string[] = []) {
  const [, ...args] = (scripts['start'] ?? '').split(' ');
  const { status, stdout, stderr } = spawnSync(process.execPath, [...before, ...args], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('says nothing where all is there', () => {
  install();
  expect(start()).toEqual({ status: 0, stdout: 'started\n', stderr: '' });
});

test('before npm ci it says to run that, in one line', () => {
  expect(start()).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^node_modules: .*run npm ci .*\n$/),
  });
});

test('on an older Node it says where the right one comes from, in one line', () => {
  install();
  expect(start(['-r', './old.cjs'])).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^node_modules: .*, got Node 20\.19\.0; run npm ci .*\n$/),
  });
});

test('npm start, npm test and what else runs a source load it first', () => {
  const ours = Object.entries(scripts).filter(
    ([name, script]) =>
      name === 'test' || /\b(bin\/precise-ttl|(cli|lab\/experiments|tools)\/[\w-]+\.ts$)/.test(script),
  );
  expect(ours.length).toBeGreaterThan(3);
  for (const [, script] of ours) expect(script).toMatch(/^node (--\S+ )*-r \.\/cli\/preflight\.cjs /);
});

test('expects the Node that npm ci installs', () => {
  expect(devDependencies['node']).toMatch(/^\^24\./);
});

test('is written so that the oldest Node can read it', () => {
  const source = readFileSync(PREFLIGHT, 'utf8');
  // esbuild refuses code that it cannot convert to ES5: const, classes, destructuring, generators.
  transformSync(source, { target: 'es5' });
  const { code } = transformSync(source, { target: 'esnext' }); // removes its comments
  expect(code).not.toMatch(/=>|`|\?\.|\?\?|require\("node:/);
});

// npm reports each unlisted script after every npm ci, and will not run it from version 12 on.
test('npm ci runs the install scripts that there are, and warns of none', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(Object.keys(allowScripts)).toEqual(expect.arrayContaining(names));
});
