import { execFileSync } from 'node:child_process';
import { COMMANDS } from '../../bin/commands.ts';
import { commandLine, useConfig, WITHOUT_CONFIG } from '../../cli/command-line.ts';

test('the commands that do not take --config are those without the flag', async () => {
  const without = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) =>
      'config' in (await load()).flags ? [] : [name],
    ),
  );
  expect([...WITHOUT_CONFIG]).toEqual(without.flat().sort());
});

afterEach(() => useConfig(undefined));

test.each([
  [undefined, 'resume', '--table Tokens', 'npx precise-ttl resume --table Tokens'],
  ['staging.ts', 'resume', '--table Tokens', 'npx precise-ttl resume --table Tokens --config staging.ts'],
  ['staging.ts', 'resume', undefined, 'npx precise-ttl resume --config staging.ts'],
  ['my tables.ts', 'replay', '', `npx precise-ttl replay --config 'my tables.ts'`],
  // The command has no such flag.
  ['staging.ts', 'adopt', '--table Tokens', 'npx precise-ttl adopt --table Tokens'],
])('with --config %s another command is called with it: %s %s', (config, command, args, expected) => {
  useConfig(config);
  expect(commandLine(command, args)).toBe(expected);
});

test('a command can be called in the checkout as it is printed, whichever Node the shell has', () => {
  const printed = commandLine('pause', ['--help']);
  expect(execFileSync('/bin/sh', ['-c', printed], { encoding: 'utf8' })).toContain('npx precise-ttl pause [');
});
