/** `precise-ttl pause`: stops the sweeps without a deployment. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { requireOnePlace } from './aws/one-place.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { readDuration } from './duration.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: all of them)' },
  for: {
    type: 'text',
    value: 'DURATION',
    help: 'then the ticks sweep it again: 30m, 2h, 1d (default: until resume)',
  },
  config: CONFIG,
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) => `npx precise-ttl pause [--table NAME] [--for DURATION] [flags]

Stops the sweeps of tables, without a deployment: writes it into the journal, which every tick reads first; with --for, until a
later time. What runs goes on to its end; the command says what that is. While a table is paused, expired items stay until
npx precise-ttl resume, or until native TTL deletes them. Deployments leave a pause as it is. The alarm watermark-age
tells of one without --for after 25 hours; npx precise-ttl status at once. Run it again as often as you like; the last pause holds.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration; on AWS it asks first.
For the deployment of npx precise-ttl local set AWS_ENDPOINT_URL_SFN and AWS_ENDPOINT_URL_DYNAMODB as it prints them.

${describeActions('pause')}

Exit status: 0 paused, 1 not: something failed or you declined, 2 wrong flags.`;

/** A minute is one tick; half a year is longer than anybody means. */
const BOUNDS = { least: '1m', most: '180d' } as const;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const forMs = flags.for === undefined ? undefined : readDuration('--for', flags.for, BOUNDS);
  requireOnePlace(process.env, ['DYNAMODB', 'SFN']);
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const config = await loadConfigFile(flags.config);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ pauseTables }, { operatingClients }] = await Promise.all([
    import('./pause/job.ts'),
    import('./aws/operating-clients.ts'),
  ]);
  const done = await pauseTables({
    config,
    table: flags.table,
    forMs,
    resultFile,
    connect(region) {
      requireConsent(flags, 'DYNAMODB');
      return operatingClients(region, process.env);
    },
    confirm: () => consent('Pause there?', flags, stop.signal),
    now: Date.now,
    print,
  });
  if (done) return 0;
  printError('Nothing was changed.');
  return stop.signal.aborted ? stop.status() : 1;
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
