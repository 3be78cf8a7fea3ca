import { inspect } from 'node:util';
import { PreciseTtlError } from '../expiry/index.ts';
import { useConfig } from '../operate/command-line.ts';
import { FieldError, InputError } from '../operate/errors.ts';
import { type AnyCommand, isEmulatorError } from './command.ts';
import {
  describeFlags,
  FlagError,
  type Flags,
  type FlagValues,
  parseFlags,
  switchFlag,
  USAGE_STATUS,
} from './flags.ts';
import { printError, printHelp } from './print.ts';

/** A command: its flags, its help, and its work. */
export interface Command<F extends Flags> {
  /** Flags of the command, without `--help`, which every command has. */
  readonly flags: F;
  /** The command takes one of these words before its flags. @default it takes flags only */
  readonly words?: readonly string[];
  /** The command passes the arguments behind `--` on to another program. @default nothing may stand there */
  readonly passes?: true;
  /** @param flags the description of all flags, one on each line */
  readonly help: (flags: string) => string;
  /** @returns the exit status */
  readonly run: (flags: FlagValues<F>, line: Line) => Promise<number>;
  /** Returns a message for errors that only this command knows; undefined for other errors. */
  readonly describe?: (error: unknown) => string | undefined;
  /**
   * Exit status of every failure, including a wrong command line, for a command that uses 1 and 2 for its answers.
   * @default 2 for a wrong command line, otherwise 1
   */
  readonly failureStatus?: number;
}

/** A command line, without its flags. */
export interface Line {
  /** The word before the flags; empty if there is none. */
  readonly word: string;
  /** All arguments, as they were typed. */
  readonly args: readonly string[];
  /** The arguments behind `--`, for another program. */
  readonly passed: readonly string[];
}

const HELP = { help: switchFlag('show this') } as const;

export type { AnyCommand };

export function defineCommand<const F extends Flags>(command: Command<F>): AnyCommand {
  const flags = { ...command.flags, ...HELP };
  return {
    flags,
    words: command.words ?? [],
    passes: command.passes ?? false,
    parse: args => parseFlags(flags, args),
    run: () => Promise.reject(new TypeError('not ported yet')),
    help: () => command.help(describeFlags(flags)),
    execute: args => tellingErrors(() => execute(command, args), command),
  };
}

/** Runs a command with the arguments of this process. */
export async function runCommand<const F extends Flags>(command: Command<F>): Promise<void> {
  await defineCommand(command).execute(process.argv.slice(2));
}

async function execute<F extends Flags>(command: Command<F>, args: readonly string[]): Promise<number> {
  const { words = [], passes = false, help, run } = command;
  const flags = { ...command.flags, ...HELP };
  const end = passes && args.includes('--') ? args.indexOf('--') : args.length;
  const [first = ''] = args;
  const hasWord = words.length > 0 && first !== '' && !first.startsWith('-');
  const values: FlagValues<F & typeof HELP> = parseFlags(flags, args.slice(hasWord ? 1 : 0, end));
  if ((values as FlagValues<typeof HELP>).help) {
    printHelp(help(describeFlags(flags)));
    return 0;
  }
  const word = hasWord ? first : '';
  if (words.length > 0 && !words.includes(word)) {
    throw new FlagError(
      `expected one of ${words.join(', ')}, got ${word ? `"${word}"` : 'none'}; see --help`,
    );
  }
  useConfig((values as { readonly config?: string }).config);
  return run(values, { word, args, passed: args.slice(end + 1) });
}

/**
 * Converts the end of a command into the exit status. Errors that the user can mend are printed without a stack; all other errors
 * are bugs, and keep it.
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
    printError(isUsage ? `${message}` : message === undefined ? inspect(error) : `\n${message}`, 'error');
    process.exitCode = failureStatus ?? (isUsage ? USAGE_STATUS : 1);
  }
}

/** Names the flag instead of the field that is set by it: `--from-archive` for `fromArchive`. */
function messageOf(error: Error, flags: Flags): string {
  if (!(error instanceof FieldError)) return error.message;
  const flag = error.field.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
  return Object.hasOwn(flags, flag) ? `--${flag}: ${error.detail}` : error.message;
}
