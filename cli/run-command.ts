import { PreciseTtlError } from '../expiry/index.ts';
import { LocalCloudError } from '../local/errors.ts';
import { FlagError, USAGE_STATUS } from './flags.ts';

/**
 * Runs a command and turns how it ends into the exit status. What a person can mend is told without a stack; the rest
 * is a fault of ours and keeps it.
 *
 * @param describe makes a message of errors that only this command knows; undefined for those that it does not
 */
export async function runCommand(
  main: () => Promise<number>,
  describe: (error: unknown) => string | undefined = () => undefined,
): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (error instanceof FlagError) {
      console.error(error.message);
      process.exitCode = USAGE_STATUS;
      return;
    }
    const known = error instanceof LocalCloudError || error instanceof PreciseTtlError;
    const message = known ? error.message : describe(error);
    if (message === undefined) throw error;
    console.error(`\n${message}`);
    process.exitCode = 1;
  }
}
