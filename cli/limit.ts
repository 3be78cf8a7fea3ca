/** `precise-ttl limit`: slows a sweep down without a deployment. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import { MAX_DELETES_PER_SECOND } from '../statemachine/contract.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { CONFIG, FlagError, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: its only one)' },
  'max-per-second': {
    type: 'number',
    min: 1,
    max: MAX_DELETES_PER_SECOND,
    whole: true,
    value: 'N',
    help: 'most deletes a second',
  },
  off: { type: 'switch', help: 'what the configuration says again' },
  config: CONFIG,
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) => `npx precise-ttl limit [--table NAME] --max-per-second N | --off [flags]

Limits how many items a table's sweep deletes a second, without a deployment: writes it into the journal, where it stands in place
of maxDeletesPerSecond. It holds from the next tick on, which comes within a minute; what runs keeps its own limit. Nothing is lost
or skipped by it: it is late. --off takes it out again. Deployments leave it as it is.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration; on AWS it asks first.
For the deployment of npx precise-ttl local set AWS_ENDPOINT_URL_DYNAMODB as it prints it.

${describeActions('limit')}

Exit status: 0 done, or it was so already, 1 not: something failed or you declined, 2 wrong flags.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const perSecond = limitOf(flags);
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const config = await loadConfigFile(flags.config);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ limitDeletes }, { operatingClients }] = await Promise.all([
    import('./limit/job.ts'),
    import('./aws/operating-clients.ts'),
  ]);
  const done = await limitDeletes({
    config,
    table: flags.table,
    perSecond,
    resultFile,
    connect(region) {
      requireConsent(flags, 'DYNAMODB');
      return operatingClients(region, process.env);
    },
    confirm: () => consent('Change that there?', flags, stop.signal),
    print,
  });
  if (done) return 0;
  printError('Nothing was changed.');
  return stop.signal.aborted ? stop.status() : 1;
}

function limitOf({ off, 'max-per-second': perSecond }: FlagValues<typeof FLAGS>): number | undefined {
  if (off === (perSecond === undefined)) return perSecond;
  const got = off ? 'both' : 'neither';
  throw new FlagError(
    `--max-per-second: expected either it or --off, got ${got}; write --max-per-second 200`,
  );
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
