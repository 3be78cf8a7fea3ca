/** `precise-ttl resume`: lets the sweeps go on, and makes up for what they missed. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { requireOnePlace } from './aws/one-place.ts';
import { commandLine } from './command-line.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { CONFIG, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { tellEnd } from './job-end.ts';
import { print } from './print.ts';
import { defineCommand, type Line } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: all of them)' },
  'no-replay': { type: 'switch', help: 'do not replay what was missed; print the command for it' },
  'dry-run': { type: 'switch', help: 'count what has expired meanwhile; change and delete nothing' },
  config: CONFIG,
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) => `npx precise-ttl resume [--table NAME] [flags]

Lets the sweeps go on after npx precise-ttl pause, at once, and replays what has expired meanwhile: from the table's watermark in
the journal on, up to which everything is known to be gone. So it also works after a pause that has ended by itself, or after an
outage. While it replays, the ticks sweep what expires from then on, and leave the rest to it. Run it again after an interruption
or a failure, and the replay continues where it stopped.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration; on AWS it asks first.
For the deployment of npx precise-ttl local set AWS_ENDPOINT_URL_SFN and AWS_ENDPOINT_URL_DYNAMODB as it prints them.

${describeActions('resume')}

Exit status: 0 nothing is paused and everything was replayed, 1 not: something failed or you declined, 2 wrong flags, 130 or 143
interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>, { args }: Line): Promise<number> {
  requireOnePlace(process.env, ['DYNAMODB', 'SFN']);
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const config = await loadConfigFile(flags.config);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ resumeTables }, { operatingClients }, { stepFunctionsClient }] = await Promise.all([
    import('./resume/job.ts'),
    import('./aws/operating-clients.ts'),
    import('./aws/step-functions.ts'),
  ]);
  const end = await resumeTables({
    config,
    table: flags.table,
    replay: !flags['no-replay'],
    dryRun: flags['dry-run'],
    resultFile,
    connect(region) {
      requireConsent(flags, 'DYNAMODB');
      return operatingClients(region, process.env);
    },
    connectReplay: region => stepFunctionsClient(region, process.env),
    confirm: () => consent('Resume there, and delete what is expired?', flags, stop.signal),
    now: Date.now,
    print,
    signal: stop.signal,
  });
  const again = commandLine('resume', args);
  const texts = {
    declined: 'Nothing was changed.',
    failed: `\nWhat failed is tried again by the same command:\n  ${again}`,
    interrupted: `\nInterrupted; executions that were started go on. Go on with:\n  ${again}`,
  };
  return tellEnd(end, texts, stop);
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
