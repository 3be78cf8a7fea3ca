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
const PACKAGES = Object.keys(devDependencies);

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

/** Makes packages as `npm ci` installs them. */
function install(packages: readonly string[]): void {
  for (const name of packages) {
    mkdirSync(join(checkout, 'node_modules', name), { recursive: true });
    writeFileSync(join(checkout, 'node_modules', name, 'package.json'), '{}');
  }
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
  install(PACKAGES);
  expect(start()).toEqual({ status: 0, stdout: 'started\n', stderr: '' });
});

test('before npm ci it says to run that, in one line', () => {
  const [one, two, three, ...more] = PACKAGES;
  expect(start()).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `node_modules: expected the packages of package.json, got none for ${one}, ${two}, ${three} and ${more.length} ` +
      'more; run npm ci, which needs the network this once\n',
  });
});

test('names the packages that came in since the last npm ci', () => {
  install(PACKAGES.slice(0, -2));
  const { status, stderr } = start();
  expect(status).toBe(1);
  expect(stderr).toContain(`got none for ${PACKAGES.slice(-2).join(', ')}; run npm ci`);
});

test('on an older Node it says where the right one comes from, in one line', () => {
  install(PACKAGES);
  expect(start(['-r', './old.cjs'])).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'Node: expected 24 or later, which npm ci installs for the npm scripts, got 20.19.0; run npm ci without ' +
      '--ignore-scripts, and start this by npm or npx\n',
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
