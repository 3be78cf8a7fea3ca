import { execFileSync } from 'node:child_process';
import { COMMAND_NAMES, COMMANDS } from '../../cli/commands.ts';
import { completionFor, describeCommands } from '../../cli/completion.ts';

const described = describeCommands(COMMANDS);

/** The completions that bash offers; the last word is the one being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${completionFor('bash', await described)}
    COMP_WORDS=(precise-ttl "$@")
    COMP_CWORD=$#
    _precise_ttl
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  return printed.split('\n').filter(line => line !== '');
}

describe('bash completes', () => {
  test.each<[string[], string[]]>([
    [['st'], ['start', 'status']],
    [['de'], ['deploy', 'destroy']],
    [['--v'], ['--version']],
    [['proof', 'v'], ['verify']],
    [['replay', '--dry'], ['--dry-run']],
    [['start', '--table', ''], []],
    [
      ['synth', '--config', 'tsconfig.build.c'],
      ['tsconfig.build.commonjs.json', 'tsconfig.build.constructs.json'],
    ],
    // `--json` is a switch here, and takes a file in other commands.
    [['init', '--json', '--fo'], ['--force']],
  ])('%j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('the commands, and every flag of each', async () => {
    expect(await offered('')).toEqual([...COMMAND_NAMES, '--help', '--version', '--completion']);
    for (const { name, words, flags } of await described) {
      expect(await offered(name, '')).toEqual([...words, ...flags.map(flag => `--${flag.name}`)]);
    }
  });
});

describe.each(['zsh', 'fish'] as const)('the script of %s', shell => {
  test('has every command and flag', async () => {
    const script = completionFor(shell, await described);
    for (const { name, flags } of await described) {
      expect(script).toMatch(new RegExp(`\\b${name}\\b`));
      for (const flag of flags) {
        expect(script).toMatch(
          shell === 'zsh' ? `'--${flag.name}[` : new RegExp(` ${name}' -l ${flag.name} `),
        );
      }
    }
  });

  test('has what can follow instead of a command', async () => {
    const script = completionFor(shell, await described);
    for (const option of ['help', 'version', 'completion']) {
      expect(script).toContain(shell === 'zsh' ? `'--${option}[` : `__fish_use_subcommand -l ${option} `);
    }
  });

  test('quotes its texts so that a shell reads them as they are', async () => {
    const help = `it's [1]: $HOME, "\\"`;
    const flags = [{ name: 'odd', help, takes: 'nothing' as const }];
    const script = completionFor(shell, [{ name: 'one', summary: help, words: [], flags }]);
    // Both shells quote as bash does here.
    const [, quoted = ''] = /'--odd(.*) ;;$/m.exec(script) ?? / -l odd -d (.*)$/m.exec(script) ?? [];
    const text = shell === 'zsh' ? `'--odd${quoted}` : quoted;
    const read = execFileSync('bash', ['-c', `printf %s ${text}`], { encoding: 'utf8' });
    expect(read).toBe(shell === 'zsh' ? `--odd[it's \\[1\\]\\: $HOME, "\\"]` : help);
  });
});
