import { inspect } from 'node:util';
import { PreciseTtlError } from '../expiry/index.ts';
import { useConfig } from '../operate/command-line.ts';
import { FieldError, InputError } from '../operate/input-error.ts';
import { isEmulatorError } from './emulator-error.ts';
import { describeFlags, FlagError, type Flags, type FlagValues, parseFlags, USAGE_STATUS } from './flags.ts';
import { print, printError } from './print.ts';

/** A command of this project: what it takes, what `--help` prints, and what it does. */
export interface Command<F extends Flags> {
  /** Besides `--help`, which every command has. */
  readonly flags: F;
  /** One word before the flags, one of these. @default the command takes flags only */
  readonly words?: readonly string[];
  /** One word before the flags, or none, whatever it is. @default the command takes flags only, or one of `words` */
  readonly operand?: true;
  /** @param flags all of them, one on each line */
  readonly help: (flags: string) => string;
  /** @returns the exit status */
  readonly run: (flags: FlagValues<F>, line: Line) => Promise<number>;
  /** Makes a message of errors that only this command knows; undefined for those that it does not. */
  readonly describe?: (error: unknown) => string | undefined;
  /**
   * The exit status of a wrong command line, and of everything else that goes wrong, for a command whose 1 and 2 are answers.
   * @default 2 and 1
   */
  readonly failureStatus?: number;
}

/** A command line, besides its flags. */
export interface Line {
  /** The one before the flags; empty for a command that takes none. */
  readonly word: string;
  /** All of it, as it was typed. */
  readonly args: readonly string[];
}

/** A command among others, which take other flags. */
export interface AnyCommand {
  /** With `--help`. */
  readonly flags: Flags;
  readonly words: readonly string[];
  /** Whether it takes a word of its own before the flags, as the name of a file. */
  readonly operand: boolean;
  /** The exit status of a wrong command line. */
  readonly usageStatus: number;
  readonly help: () => string;
  /** Runs it with these arguments; how it ends is the status of this process. */
  readonly execute: (args: readonly string[]) => Promise<void>;
}

/** The groups of commands by purpose, in the order of the help. */
export const COMMAND_GROUPS = ['set up', 'adopt', 'watch', 'act', 'prove'] as const;

export interface ListedCommand {
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** Its purpose, in the list of all commands. */
  readonly summary: string;
  /** Loads it, and nothing of the others. */
  readonly load: () => Promise<AnyCommand>;
}

/** By their names. */
export type Commands = Readonly<Record<string, ListedCommand>>;

const HELP = { help: { type: 'switch', help: 'show this' } } as const;

export function defineCommand<const F extends Flags>(command: Command<F>): AnyCommand {
  const flags = { ...command.flags, ...HELP };
  return {
    flags,
    words: command.words ?? [],
    operand: command.operand ?? false,
    usageStatus: command.failureStatus ?? USAGE_STATUS,
    help: () => command.help(describeFlags(flags)),
    execute: args => tellingErrors(() => execute(command, args), command),
  };
}

/** Runs a command with the arguments of this process. */
export async function runCommand<const F extends Flags>(command: Command<F>): Promise<void> {
  await defineCommand(command).execute(process.argv.slice(2));
}

async function execute<F extends Flags>(command: Command<F>, args: readonly string[]): Promise<number> {
  const { words = [], operand = false, help, run } = command;
  const flags = { ...command.flags, ...HELP };
  const [first = ''] = args;
  const hasWord = (operand || words.length > 0) && first !== '' && !first.startsWith('-');
  const values: FlagValues<F & typeof HELP> = parseFlags(flags, hasWord ? args.slice(1) : args);
  if ((values as FlagValues<typeof HELP>).help) {
    print(help(describeFlags(flags)));
    return 0;
  }
  const word = hasWord ? first : '';
  if (words.length > 0 && !words.includes(word)) {
    throw new FlagError(
      `expected one of ${words.join(', ')}, got ${word ? `"${word}"` : 'none'}; see --help`,
    );
  }
  useConfig((values as { readonly config?: string }).config);
  return run(values, { word, args });
}

/**
 * Turns how a command ends into the exit status. What a person can mend is told without a stack; the rest is a fault of ours
 * and keeps it.
 */
export async function tellingErrors(
  work: () => Promise<number>,
  { flags = {}, describe, failureStatus }: Partial<Omit<Command<Flags>, 'help' | 'run'>> = {},
): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const isUsage = error instanceof InputError || error instanceof FlagError;
    const known = error instanceof PreciseTtlError || isEmulatorError(error);
    const message = known ? messageOf(error, flags) : describe?.(error);
    printError(isUsage ? `${message}` : message === undefined ? inspect(error) : `\n${message}`);
    process.exitCode = failureStatus ?? (isUsage ? USAGE_STATUS : 1);
  }
}

/** Names the flag of the command for the field that it becomes: `--from-archive` for `fromArchive`. */
function messageOf(error: Error, flags: Flags): string {
  if (!(error instanceof FieldError)) return error.message;
  const flag = error.field.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
  return Object.hasOwn(flags, flag) ? `--${flag}: ${error.detail}` : error.message;
}
