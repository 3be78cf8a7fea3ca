/** `precise-ttl local`: runs the synthesized deployment on this machine until Ctrl-C. See `--help`. */

import { whole } from '../expiry/fields.ts';
import { loadConfigFile } from '../stacks/config/config-file.ts';
import { CONFIG, defineCommand, EXIT, textFlag, wrong } from './command.ts';
import { writableFile } from './files.ts';

const port = (byDefault: number, help: string) =>
  ({ help, kind: whole(1, 65_535), value: 'N', default: byDefault }) as const;

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
    const factsFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
    // Imported late, because CDKTF takes most of a second to load: so errors of flags are printed at once.
    const { runLocalJob } = await import('./local-job.ts');
    await runLocalJob({
      ...{ dynamoDbPort: flags['dynamodb-port'], sfnPort: flags['sfn-port'] },
      ...{ schedules: !flags['no-schedules'], verbose: flags.verbose },
      ...{ config: await loadConfigFile(flags.config), factsFile, signal },
    });
    return { exit: EXIT.fine };
  },
});
