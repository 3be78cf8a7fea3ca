import { readFileSync } from 'node:fs';
import { NotLoopbackError } from 'stepfunctions-emulator';
import { COMMAND_NAMES, COMMANDS } from '../../bin/commands.ts';
import { isEmulatorError } from '../../cli/command.ts';
import { executed } from '../support/executed.ts';
import { shellCommand } from '../support/shell.ts';

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
