/** `precise-ttl local`: runs the synthesized deployment on this machine until Ctrl-C. See `--help`. */

import { loadConfigFile } from '../config/config-file.ts';
import {
  CONFIG,
  FlagError,
  type FlagValues,
  switchFlag,
  textFlag,
  wholeNumber,
  writableFile,
} from './flags.ts';
import { restartWithSmallNewSpace } from './lean-heaps.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';

const PORT = { type: 'number', min: 1, max: 65_535, whole: true, value: 'N' } as const;

const FLAGS = {
  'dynamodb-port': { ...PORT, default: 8000, help: 'where DynamoDB is, on 127.0.0.1 only' },
  'sfn-port': { ...PORT, default: 8083, help: 'where the Step Functions API listens' },
  'cloudwatch-port': { ...PORT, default: 8084, help: 'where the CloudWatch API listens' },
  'scheduler-port': { ...PORT, default: 8085, help: 'where the EventBridge Scheduler API listens' },
  'no-schedules': switchFlag('sweep only when an execution is started by hand'),
  seed: wholeNumber(1, 10_000, 'write N sessions into the first table: half of them expired'),
  config: CONFIG,
  json: textFlag('FILE', 'once it runs, write its endpoints and names to a file'),
  verbose: switchFlag(
    'show all of each execution, and every line that the functions print, not only those of a failed call',
  ),
} as const;

const help = (flags: string) => `npx precise-ttl local [flags]

Runs everything that a deployment provisions, on this machine, until Ctrl-C: DynamoDB Local, the APIs of Step Functions,
EventBridge Scheduler and CloudWatch, the functions, the schedules, and the metrics with their alarms. With an archive or events in
the configuration, the pipes too: each expiry that OnlyExpiries passes on is a line, and no target gets it.
Prints the variables that let the AWS CLI and SDKs in another terminal use it, and a line for every execution: what it deleted, and how
late; with --verbose also which schedule or tick started it, what it found in which table, and what it would cost on AWS. Of one that
failed: the state, the function, the error, and what the last failed call printed. What Ctrl-C has cut off is said so. An alarm that
changes its state is one line.
A page that it prints the address of shows the sweep in a browser. For a deployment: npx precise-ttl status --page.
With --seed the example that it prints deletes items.

${flags}

AWS_ENDPOINT_URL_DYNAMODB: a DynamoDB Local that runs already. AWS_ENDPOINT_URL_LAMBDA: where functions from outside this project are
invoked by state machines. Both must be on this machine.

Exit status: 0 stopped by Ctrl-C or SIGTERM, 1 it couldn't start, 2 wrong flags.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  requireDistinctPorts(flags);
  const factsFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  restartWithSmallNewSpace();
  const { signal } = stopOnSignal();
  // Imported late: the CDKTF app takes most of a second to load, and a wrong flag should be reported before.
  const { runLocalJob } = await import('./local/job.ts');
  await runLocalJob({
    dynamoDbPort: flags['dynamodb-port'],
    sfnPort: flags['sfn-port'],
    schedulerPort: flags['scheduler-port'],
    cloudWatchPort: flags['cloudwatch-port'],
    schedules: !flags['no-schedules'],
    config: await loadConfigFile(flags.config),
    factsFile,
    seed: flags.seed,
    verbose: flags.verbose,
    signal,
  });
  return 0;
}

type PortFlag = Extract<keyof typeof FLAGS, `${string}-port`>;

const PORTS = Object.keys(FLAGS).filter((flag): flag is PortFlag => flag.endsWith('-port'));

function requireDistinctPorts(flags: Pick<FlagValues<typeof FLAGS>, PortFlag>): void {
  for (const [index, flag] of PORTS.entries()) {
    const other = PORTS.slice(0, index).find(each => flags[each] === flags[flag]);
    if (other === undefined) continue;
    throw new FlagError(`--${flag}: expected another port than --${other}, got ${flags[flag]} for both`);
  }
}

export const command = defineCommand({ flags: FLAGS, help, run });
