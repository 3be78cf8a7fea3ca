import { execFileSync } from 'node:child_process';
import { commandLine, invocationWith, WITH_CONFIG } from '../../cli/command-line.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { inCheckout } from '../../cli/invocation.ts';

test('the commands that take --config are those that have the flag', async () => {
  const taking = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) =>
      'config' in (await load()).flags ? [name] : [],
    ),
  );
  expect([...WITH_CONFIG]).toEqual(taking.flat().sort());
});

test.each([
  [undefined, 'resume', '--table Tokens', inCheckout('resume', '--table Tokens')],
  ['staging.ts', 'resume', '--table Tokens', inCheckout('resume', '--table Tokens --config staging.ts')],
  ['staging.ts', 'resume', undefined, inCheckout('resume', '--config staging.ts')],
  ['my tables.ts', 'replay', '', inCheckout('replay', "--config 'my tables.ts'")],
  // It knows no such flag.
  ['staging.ts', 'adopt', '--table Tokens', inCheckout('adopt', '--table Tokens')],
])('with --config %s another command is called with it: %s %s', (config, command, args, expected) => {
  expect(invocationWith(config)(command, args)).toBe(expected);
});

test('a command without an npm script can be called as it is printed, whichever Node the shell has', () => {
  const printed = commandLine('pause', ['--help']);
  expect(execFileSync('/bin/sh', ['-c', printed], { encoding: 'utf8' })).toContain(inCheckout('pause', '['));
});
