import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { NotLoopbackError } from 'stepfunctions-emulator';
import { COMMAND_NAMES, COMMANDS } from '../../bin/commands.ts';
import { isEmulatorError } from '../../cli/command.ts';
import { executed } from '../support/executed.ts';
import { folderWith } from '../support/folder.ts';
import { runNode, shellCommand } from '../support/shell.ts';

const ROOT = join(import.meta.dirname, '../..');
const PREFLIGHT = join(ROOT, 'bin/preflight.cjs');
const { scripts, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'scripts' | 'devDependencies',
  Record<string, string>
>;

/** A checkout, whose program says what it got. */
let checkout: string;
const PROGRAM = `export async function main(_manifest, args) {
  process.exitCode = 3;
  if (args[0] === 'wait') {
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => {}, 1000);
  }
  console.log(args.join(' '));
}`;
const folder = folderWith();
const write = (name: string, content: string, mode = 0o644) =>
  writeFileSync(join(checkout, name), content, { mode });

beforeEach(() => {
  checkout = mkdtempSync(join(folder, 'checkout-'));
  for (const folder of ['bin', 'dist/node', 'node_modules/node/bin'])
    mkdirSync(join(checkout, folder), { recursive: true });
  for (const file of ['bin/precise-ttl.js', 'bin/preflight.cjs', 'package.json'])
    cpSync(join(ROOT, file), join(checkout, file));
  write('bin/commands.ts', PROGRAM);
  write(
    'old.cjs',
    "if (!process.env.OF_THE_CHECKOUT) Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } });",
  );
});

/** Installs the Node of npm ci: this one, which says so. */
function install(): void {
  write('node_modules/node/package.json', '{}');
  write(
    'node_modules/node/bin/node',
    `#!/bin/sh\necho of the checkout\nOF_THE_CHECKOUT=1 exec "${process.execPath}" "$@"\n`,
    0o755,
  );
}

const OLD = ['-r', './old.cjs'];

const run = (args: readonly string[], around?: Parameters<typeof runNode>[1]) =>
  runNode(args, { cwd: checkout, ...around });

/** What `npm start` runs. */
const START = (scripts['start'] ?? '').split(' ').slice(1);
const refused = (stderr: RegExp) => ({ status: 1, stdout: '', stderr: expect.stringMatching(stderr) });

test('npm start says nothing where all is there, and else what to do, in one line', async () => {
  expect(await run(START)).toEqual(refused(/^node_modules: .*run npm ci .*\n$/));
  install();
  expect(await run(START)).toEqual({ status: 3, stdout: 'start\n', stderr: '' });
  expect(await run([...OLD, ...START])).toEqual(
    refused(/^node_modules: .*, got Node 20\.19\.0; run npm ci .*\n$/),
  );
});

test('npm start, npm test and what else runs a source load it first', () => {
  const ours = Object.entries(scripts).filter(
    ([name, script]) =>
      name === 'test' || /\b(bin\/precise-ttl|(bench\/experiments|tools)\/[\w-]+\.ts$)/.test(script),
  );
  expect(ours.length).toBeGreaterThan(3);
  for (const [, script] of ours) expect(script).toMatch(/^node (--\S+ )*-r \.\/bin\/preflight\.cjs /);
  expect(devDependencies['node']).toMatch(/^\^24\./);
});

test('it is written so that the oldest Node can read it', () => {
  const source = readFileSync(PREFLIGHT, 'utf8');
  // esbuild refuses code that it cannot convert to ES5: const, classes, destructuring, generators.
  transformSync(source, { target: 'es5' });
  const { code } = transformSync(source, { target: 'esnext' }); // removes its comments
  expect(code).not.toMatch(/=>|`|\?\.|\?\?|require\("node:/);
});

const COMMAND = [...OLD, 'bin/precise-ttl.js'];

test('on an older Node the command starts again on that of npm ci, with its arguments, signals and exit status', async () => {
  install();
  expect(await run([...COMMAND, 'synth', '--json', 'a b'])).toEqual({
    status: 3,
    stdout: 'of the checkout\nsynth --json a b\n',
    stderr: '',
  });
  const stopped = await run([...COMMAND, 'wait'], {
    onStart: child => child.stdout.on('data', text => text.includes('wait') && child.kill()),
  });
  expect(stopped.status).toBe(7);
});

test('where there is none it says what to do, in one sentence: in the checkout and in the package', async () => {
  expect(await run([...COMMAND, 'synth'])).toEqual(
    refused(/^Node: expected 24 or later, got 20\.19\.0; run npm ci, which installs it\n$/),
  );
  rmSync(join(checkout, 'bin/commands.ts'));
  expect(await run([...COMMAND, 'synth'])).toEqual(
    refused(/^Node: expected 22\.12 or later, got 20\.19\.0; install a newer one\n$/),
  );
});

test('--help names every command, and so does no command at all, as a wrong one', async () => {
  const help = await executed(['--help']);
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const name of COMMAND_NAMES) expect(help.stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
  expect(await executed([])).toEqual({ status: 2, stdout: '', stderr: help.stdout });
});

test('--version prints that of package.json', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await shellCommand(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['staart', '"staart". Did you mean start?'],
  ['back', '"back". Did you mean backfill?'],
  ['--verbose', '"--verbose". See --help.'],
  ['toString', '"toString". See --help.'],
])('refuses the command %s', async (name, end) => {
  expect(await executed([name])).toEqual({
    status: 2,
    stdout: '',
    stderr: `command: expected one of ${COMMAND_NAMES.join(', ')}, got ${end}`,
  });
});

test.each(COMMAND_NAMES)(
  '%s has a help that says how it is called and ends, and refuses what it does not know',
  async name => {
    const help = (await COMMANDS[name].load()).help();
    expect(help).toMatch(new RegExp(`^npx precise-ttl ${name}( |\n)`));
    expect(help).toMatch(/\n\nExit status: 0 /);
    expect(help).not.toContain('npm run');
    expect(help.includes('It needs in IAM: ')).toBe(help.includes('It asks AWS with '));
    const { status, stdout, stderr } = await executed([name, '--no-such-flag']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got .*[sS]ee --help\.?$/);
  },
);

test.each<[boolean, unknown]>([
  [true, new NotLoopbackError('any')],
  [false, new TypeError('EmulatorError')],
  [false, undefined],
])('an error of the emulator, %p: %p', (expected, error) => {
  expect(isEmulatorError(error)).toBe(expected);
});
