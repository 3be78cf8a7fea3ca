import type { Flag } from './flags.ts';
import type { Commands } from './run-command.ts';

/** A command that can follow `precise-ttl`, with its flags. */
export interface DescribedCommand {
  readonly name: string;
  readonly summary: string;
  readonly words: readonly string[];
  readonly flags: readonly DescribedFlag[];
}

export interface DescribedFlag {
  readonly name: string;
  readonly help: string;
  /** The kind of value that the flag takes: a file, another value, or none. */
  readonly takes: 'file' | 'value' | 'nothing';
}

/** Names of flag values that stand for a path in help texts. */
const PATHS = ['FILE', 'FOLDER', 'PATH'];

export function describeCommands(commands: Commands): Promise<DescribedCommand[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => {
      const { flags, words } = await load();
      const described = Object.entries(flags).map(([flag, { help, ...rest }]) => ({
        name: flag,
        help,
        takes: takenBy({ help, ...rest }),
      }));
      return { name, summary, words, flags: described };
    }),
  );
}

function takenBy(flag: Flag): DescribedFlag['takes'] {
  if (flag.type === 'switch') return 'nothing';
  return PATHS.includes(flag.value) ? 'file' : 'value';
}

/** Options that can follow `precise-ttl` instead of a command, with their purpose. */
const OPTIONS = {
  help: 'show the commands',
  version: 'print the version',
  completion: 'print what completes the commands in bash, zsh or fish',
};

const OPTION_NAMES = Object.keys(OPTIONS).map(name => `--${name}`);

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The script with which a shell completes these commands. */
export function completionFor(shell: (typeof SHELLS)[number], commands: readonly DescribedCommand[]): string {
  return { bash, zsh, fish }[shell](commands);
}

const flagsOf = ({ flags }: DescribedCommand) => flags.map(({ name }) => `--${name}`);

const taking = (commands: readonly DescribedCommand[], takes: DescribedFlag['takes']) => [
  ...new Set(
    commands.flatMap(({ flags }) =>
      flags.filter(flag => flag.takes === takes).map(({ name }) => `--${name}`),
    ),
  ),
];

function bash(commands: readonly DescribedCommand[]): string {
  const cases = commands.map(
    command => `    ${command.name}) words='${[...command.words, ...flagsOf(command)].join(' ')}' ;;`,
  );
  // The same flag can be a switch in one command and take a value in another: so the command decides.
  return `# The shell reads this in ~/.local/share/bash-completion/completions/precise-ttl
_precise_ttl() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${[...commands.map(({ name }) => name), ...OPTION_NAMES].join(' ')}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${valueCases(commands)}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _precise_ttl precise-ttl`;
}

function valueCases(commands: readonly DescribedCommand[]): string {
  return (['file', 'value'] as const)
    .map(takes => {
      const after = commands.flatMap(command =>
        taking([command], takes).map(flag => `'${command.name} ${flag}'`),
      );
      const answer = takes === 'file' ? 'COMPREPLY=($(compgen -f -- "$word")); return' : 'return';
      return `    ${after.join('|')}) ${answer} ;;`;
    })
    .join('\n');
}

/** Puts a text between single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function zsh(commands: readonly DescribedCommand[]): string {
  // A colon separates name and description here, and brackets enclose the description.
  const plain = (text: string) => text.replaceAll(/[[\]:]/g, match => `\\${match}`);
  const listed = commands.map(({ name, summary }) => `    ${quoted(`${name}:${plain(summary)}`)}`);
  const cases = commands.map(({ name, words, flags }) => {
    const specs = flags.map(flag => {
      const value = { file: ':file:_files', value: ':value: ', nothing: '' }[flag.takes];
      return quoted(`--${flag.name}[${plain(flag.help)}]${value}`);
    });
    const word = words.length > 0 ? [quoted(`1:word:(${words.join(' ')})`)] : [];
    return `    ${name}) _arguments ${[...word, ...specs].join(' ')} ;;`;
  });
  const options = Object.entries(OPTIONS).map(([name, help]) => quoted(`--${name}[${help}]`));
  return `#compdef precise-ttl
# The shell reads this in the file _precise-ttl of a folder of $fpath
_precise_ttl() {
  local -a commands=(
${listed.join('\n')}
  )
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then
      _arguments ${options.join(' ')}
    else
      _describe command commands
    fi
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
_precise_ttl "$@"`;
}

function fish(commands: readonly DescribedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, words, flags }) => {
    const after = `complete -c precise-ttl -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c precise-ttl -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...(words.length > 0 ? [`${after} -a '${words.join(' ')}'`] : []),
      ...flags.map(flag => {
        const value = { file: ' -r -F', value: ' -x', nothing: '' }[flag.takes];
        return `${after} -l ${flag.name}${value} -d ${quoted(flag.help)}`;
      }),
    ];
  });
  const options = Object.entries(OPTIONS).map(
    ([name, help]) => `complete -c precise-ttl -n __fish_use_subcommand -l ${name} -d ${quoted(help)}`,
  );
  return [
    '# The shell reads this in ~/.config/fish/completions/precise-ttl.fish',
    'complete -c precise-ttl -f',
    ...options,
    ...lines,
  ].join('\n');
}
