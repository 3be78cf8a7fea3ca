import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { COMMAND_NAMES, COMMANDS } from '../../cli/commands.ts';

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
  ['staart', '"staart"; did you mean start?; see --help'],
  ['everything', '"everything"; see --help'],
  ['--verbose', '"--verbose"; see --help'],
  ['toString', '"toString"; see --help'],
])('refuses the command %s', async (name, end) => {
  expect(await run(name)).toEqual({
    status: 2,
    stdout: '',
    stderr: `expected a command (${COMMAND_NAMES.join(', ')}), got ${end}\n`,
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
    const { usageStatus } = await COMMANDS[name].load();
    // Failure statuses of commands that use 1 and 2, or only 2, for answers.
    const others: Readonly<Record<string, number>> = { deploy: 1, doctor: 3, status: 3 };
    expect(usageStatus).toBe(others[name] ?? 2);
    const { status, stdout, stderr } = await run(name, '--no-such-flag');
    expect([status, stdout]).toEqual([usageStatus, '']);
    expect(stderr).toMatch(/^--no-such-flag: expected one of .*--help, got an unknown flag; see --help\n$/);
  });
});

test('there are at most 19 commands', () => {
  expect(COMMAND_NAMES.length).toBeLessThanOrEqual(19);
});
