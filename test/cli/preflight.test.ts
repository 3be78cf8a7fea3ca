import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

describe('preflight', () => {
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
});

describe('an older Node', () => {
  /** The command on a Node that is too old, in a checkout and in a package: both hold the one file, and a program that says what it got. */
  const BIN = join(import.meta.dirname, '../../bin/precise-ttl.js');
  const PROGRAM = `export async function main(_manifest, args) {
  process.exitCode = 3;
  if (args[0] === 'wait') {
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => {}, 1000);
  }
  console.log(args.join(' '));
}`;

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'precise-ttl-older-node-'));
    for (const each of ['bin', 'cli', 'dist/cli', 'node_modules/node/bin']) {
      mkdirSync(join(folder, each), { recursive: true });
    }
    cpSync(BIN, join(folder, 'bin/precise-ttl.js'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'old.cjs'),
      "if (!process.env.OF_THE_CHECKOUT) Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });",
    );
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const checkout = () => writeFileSync(join(folder, 'cli/main.ts'), PROGRAM);
  /** The Node that npm ci installs: this one, which says so. */
  function installNode(): void {
    const file = join(folder, 'node_modules/node/bin/node');
    writeFileSync(
      file,
      `#!/bin/sh\necho of the checkout\nOF_THE_CHECKOUT=1 exec "${process.execPath}" "$@"\n`,
    );
    chmodSync(file, 0o755);
  }

  function run(...args: string[]): ChildProcess {
    return spawn(process.execPath, ['-r', join(folder, 'old.cjs'), 'bin/precise-ttl.js', ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function ended(child: ChildProcess) {
    const printed = { stdout: '', stderr: '' };
    child.stdout?.on('data', data => {
      printed.stdout += data;
    });
    child.stderr?.on('data', data => {
      printed.stderr += data;
    });
    const [status] = await once(child, 'close');
    return { status, ...printed };
  }

  test('in the checkout the command starts again on the Node of npm ci, with its arguments and exit status', async () => {
    checkout();
    installNode();
    expect(await ended(run('synth', '--json', 'a b'))).toEqual({
      status: 3,
      stdout: 'of the checkout\nsynth --json a b\n',
      stderr: '',
    });
  });

  test('it passes SIGTERM on, and ends as the command does', async () => {
    checkout();
    installNode();
    const child = run('wait');
    const end = ended(child);
    await new Promise<void>(resolve =>
      child.stdout?.on('data', data => String(data).includes('wait') && resolve()),
    );
    child.kill('SIGTERM');
    expect((await end).status).toBe(7);
  });

  test.each([
    [
      'in the checkout before npm ci',
      checkout,
      'Node: expected 24 or later, got 20.19.0; run npm ci, which installs it\n',
    ],
    ['in the package', () => {}, 'Node: expected 22.12 or later, got 20.19.0; install a newer one\n'],
  ])('%s it says what to do, in one sentence', async (_where, make, stderr) => {
    make();
    expect(await ended(run('synth'))).toEqual({ status: 1, stdout: '', stderr });
  });
});
