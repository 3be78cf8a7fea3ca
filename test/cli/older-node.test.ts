import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  writeFileSync(file, `#!/bin/sh\necho of the checkout\nOF_THE_CHECKOUT=1 exec "${process.execPath}" "$@"\n`);
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
