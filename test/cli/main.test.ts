import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmulatorError, NotLoopbackError } from 'stepfunctions-emulator';
import { isEmulatorError } from '../../cli/command.ts';
import { COMMAND_NAMES, COMMANDS } from '../../cli/commands.ts';
import { PreciseTtlError } from '../../expiry/index.ts';
import { EXPERIMENTS, helpsOfExperiments } from '../support/experiments.ts';

function run(...args: string[]) {
  return new Promise<{ status: number; stdout: string; stderr: string }>(done => {
    execFile(process.execPath, ['bin/precise-ttl.js', ...args], (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('--help names every command, and so does no command at all, as a wrong one', async () => {
  const help = await run('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const name of COMMAND_NAMES) expect(help.stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
  expect(await run()).toEqual({ status: 2, stdout: '', stderr: help.stdout });
});

test('--version prints that of package.json', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['staart', '"staart". Did you mean start?'],
  ['Doctr', '"Doctr". Did you mean doctor?'],
  ['back', '"back". Did you mean backfill?'],
  ['everything', '"everything". See --help.'],
  ['--verbose', '"--verbose". See --help.'],
  ['toString', '"toString". See --help.'],
  ['limit', '"limit". Set maxDeletesPerSecond in the configuration.'],
])('refuses the command %s', async (name, end) => {
  expect(await run(name)).toEqual({
    status: 2,
    stdout: '',
    stderr: `command: expected one of ${COMMAND_NAMES.join(', ')}, got ${end}\n`,
  });
});

describe.each(COMMAND_NAMES)('%s', name => {
  test('has a help that begins with how it is called, and tells its exit statuses', async () => {
    const { help } = await COMMANDS[name].load();
    expect(help()).toMatch(new RegExp(`^npx precise-ttl ${name}( |\n)`));
    expect(help()).toMatch(/\n\nExit status: 0 /);
    expect(help()).not.toContain('npm run');
  });

  test('refuses what it does not know, before it does anything', async () => {
    const { status, stdout, stderr } = await run(name, '--no-such-flag');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got .*[sS]ee --help\.?\n$/);
  });
});

test('there are at most 19 commands', () => {
  expect(COMMAND_NAMES.length).toBeLessThanOrEqual(19);
});

const ROOT = join(import.meta.dirname, '../..');

interface Ended {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function runFile([file = '', ...args]: readonly string[]): Promise<Ended> {
  return new Promise(resolve => {
    execFile(process.execPath, [join(ROOT, file), ...args], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
    });
  });
}

test('every experiment says what it does, under its own name', async () => {
  const helps = await helpsOfExperiments();
  expect(EXPERIMENTS).toEqual(expect.arrayContaining(['cost', 'fuzz', 'lag']));
  expect([...helps.keys()]).toEqual([...EXPERIMENTS].sort());
  for (const help of helps.values()) expect(help).toMatch(/^ *--help\b.*\n[\s\S]*Exit status: 0/m);
}, 60_000);

test('an experiment refuses a flag that it does not know', async () => {
  const { status, stdout, stderr } = await runFile(['lab/experiments/main.ts', 'faults', '--no-such-flag']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got "--no-such-flag"\. See --help\.\n$/);
});

test.each([[[]], [['legs']]])('npm run bench %j says which benchmarks there are', async args => {
  const { status, stdout, stderr } = await runFile(['lab/experiments/main.ts', ...args]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`expected one of cost, `);
  expect(stderr).toContain(`got ${args[0] ?? 'none'}`);
});

test.each<[boolean, unknown]>([
  [true, new EmulatorError('any')],
  [true, new NotLoopbackError('any')],
  [false, new PreciseTtlError('any')],
  [false, new TypeError('EmulatorError')],
  [false, 'EmulatorError'],
  [false, undefined],
])('%p: %p', (expected, error) => {
  expect(isEmulatorError(error)).toBe(expected);
});
