import { EmulatorError } from '../errors.ts';
import { UsageError } from './errors.ts';
import { readFlags } from './flags.ts';
import { readOptions } from './options.ts';
import { serve } from './serve.ts';
import { describeExecution, describeStart, help } from './text.ts';

/** Exit status for a wrong command line, as in most commands. */
const USAGE_STATUS = 2;

/**
 * `stepfunctions-emulator`: sets the exit status of this process.
 *
 * @param version of the package
 */
export async function main(args: readonly string[], version: string): Promise<void> {
  try {
    await run(args, version);
  } catch (error) {
    // An error that the user can correct is shown without a stack; any other is a bug of the emulator and keeps its stack.
    if (!(error instanceof EmulatorError)) throw error;
    console.error(error.message);
    process.exitCode = error instanceof UsageError ? USAGE_STATUS : 1;
  }
}

async function run(args: readonly string[], version: string): Promise<void> {
  const flags = readFlags(args);
  if (flags.has('help')) return console.log(help());
  if (flags.has('version')) return console.log(version);
  const options = readOptions(flags, process.env);
  const signalled = untilSignal();
  const served = await serve(options, {
    onExecution: execution => console.log(describeExecution(execution)),
    onReload: file => console.log(`${file}: loaded again; executions that start from now on run it`),
    onReloadFailure: error => console.error(`${error.message}\nThe definition from before is kept.`),
  });
  console.log(describeStart(served, options));
  await signalled;
  await served.stop();
  // Mocks may have left handles that would keep the process alive.
  process.exit(0);
}

/** Resolves at the first SIGINT or SIGTERM. The second one ends the process immediately. */
function untilSignal(): Promise<void> {
  return new Promise(resolve => {
    let signalled = false;
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (signalled) process.exit(1);
        signalled = true;
        resolve();
      });
    }
  });
}
