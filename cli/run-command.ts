import { PreciseTtlError } from '../expiry/index.ts';
import { isEmulatorError } from './emulator-error.ts';
import { describeFlags, FlagError, type Flags, type FlagValues, parseFlags, USAGE_STATUS } from './flags.ts';

/** A command of this project: what it takes, what `--help` prints, and what it does. */
export interface Command<F extends Flags> {
  /** Besides `--help`, which every command has. */
  readonly flags: F;
  /** @param flags all of them, one on each line */
  readonly help: (flags: string) => string;
  /** @returns the exit status */
  readonly run: (flags: FlagValues<F>) => Promise<number>;
  /** Makes a message of errors that only this command knows; undefined for those that it does not. */
  readonly describe?: (error: unknown) => string | undefined;
}

const HELP = { help: { type: 'switch', help: 'show this' } } as const;

/**
 * Runs a command with the arguments of this process and turns how it ends into the exit status. What a person can mend
 * is told without a stack; the rest is a fault of ours and keeps it.
 */
export async function runCommand<const F extends Flags>({
  flags,
  help,
  run,
  describe,
}: Command<F>): Promise<void> {
  const all = { ...flags, ...HELP };
  try {
    const values = parseFlags(all, process.argv.slice(2));
    if (values.help) console.log(help(describeFlags(all)));
    else process.exitCode = await run(values);
  } catch (error) {
    if (error instanceof FlagError) {
      console.error(error.message);
      process.exitCode = USAGE_STATUS;
      return;
    }
    const known = error instanceof PreciseTtlError || isEmulatorError(error);
    const message = known ? error.message : describe?.(error);
    if (message === undefined) throw error;
    console.error(`\n${message}`);
    process.exitCode = 1;
  }
}
