import type { Flag } from '../flags.ts';
import type { Commands } from '../run-command.ts';

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
