/** `precise-ttl local`: runs the synthesized deployment on this machine until Ctrl-C. See `--help`. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { whole } from '../expiry/fields.ts';
import { loadConfig } from '../stacks/config/config-file.ts';
import { CONFIG, defineCommand, EXIT, tablesOf, textFlag, wrong } from './command.ts';
import { writableFile } from './files.ts';
import { print, printError } from './print.ts';

const port = (byDefault: number, help: string) =>
  ({ help, kind: whole(1, 65_535), value: 'N', default: byDefault }) as const;

/** Maximum number of a replay's child executions at once. With more, function calls wait for so long that even ticks time out. */
const CHILDREN_AT_ONCE = 5;

/** V8 collects garbage when a heap has grown by this percentage. This saves memory: by default, heaps may grow to four times their use. */
const GROWING_PERCENT = 40;

export const command = defineCommand({
  name: 'local',
  flags: {
    'dynamodb-port': port(8000, 'where DynamoDB is, on 127.0.0.1 only'),
    'sfn-port': port(8083, 'where the Step Functions API listens'),
    'no-schedules': { help: 'sweep only when an execution is started by hand' },
    config: CONFIG,
    json: textFlag('FILE', 'a file', 'once it runs, write its endpoints and names to a file'),
    verbose: { help: 'show every line that the functions print, not only those of a failed call' },
  },
  about: `Runs everything that a deployment provisions, on this machine, until Ctrl-C: DynamoDB Local, the API of Step Functions, the functions
and the schedules; no alarms. With an archive or events in the configuration, the pipes too: each expiry that OnlyExpiries passes on is a
line, and no target gets it.
Prints the variables that let the AWS CLI and SDKs in another terminal use it, and a line for every execution: what it deleted, and how
late. Of one that failed: the error, and the function of the last failed call with what it printed. What Ctrl-C has cut off is said so.
A page that it prints the address of shows the sweep in a browser. For a deployment: npx precise-ttl status --page.

AWS_ENDPOINT_URL_DYNAMODB: a DynamoDB Local that runs already, on this machine.`,
  exits: "0 stopped by Ctrl-C or SIGTERM, 1 it couldn't start",
  check({ flags }) {
    if (flags['sfn-port'] === flags['dynamodb-port'])
      throw wrong('--sfn-port', 'another port than --dynamodb-port', flags['sfn-port'], 'Name another.');
  },
  async run({ flags, signal }) {
    const { 'dynamodb-port': dynamoDbPort, 'sfn-port': sfnPort, verbose } = flags;
    const fires = !flags['no-schedules'];
    const factsFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
    const config = await loadConfig(flags.config);
    setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
    // Imported late, so that errors of flags and of the configuration are printed at once: CDKTF takes most of a second to load.
    const [{ serve }, { localStack }, lines, { startPage }] = await Promise.all([
      import('../local/serve.ts'),
      import('../local/stack/synthesized.ts'),
      import('./local-lines.ts'),
      import('./status.ts'),
    ]);
    const [{ props: first }] = tablesOf(config);
    const failedCalls = new lines.FailedCalls();
    const served = await serve({
      ...{ dynamoDbPort, sfnPort, schedules: fires, stack: localStack(config), environment: process.env },
      childrenAtOnce: CHILDREN_AT_ONCE,
      pipes: {
        onExpiry: delivered => print(lines.describeExpiry(delivered)),
        onError: (error, pipe) => printError(lines.describePipeTrouble(error, pipe)),
      },
      functions: {
        onInvocation: record => failedCalls.add(record),
        ...(verbose && { onLog: (name, line) => print(lines.describeLine(name, line, first.deployment)) }),
      },
      onExecution(execution, schedule) {
        const failedCall = failedCalls.take(execution);
        print(lines.describeExecution(execution, { failedCall, schedule, stopping: signal.aborted }));
      },
      onScheduleError: (error, { schedule }) => printError(`${schedule.name} didn't start: ${error}`),
    });
    const page = await startPage(config, undefined, lines.environmentOf(served), served.endpoint);
    try {
      const facts = `${JSON.stringify(lines.factsOf(served), null, 2)}\n`;
      if (factsFile !== undefined) writeFileSync(factsFile, facts);
      print(lines.describeStart(served, first, fires, page.address));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await page.stop();
      await served.stop();
    }
    return { exit: EXIT.fine };
  },
});
