/** `precise-ttl backfill`: writes the window into the items that are in a table already. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import {
  DEFAULT_RATE_PER_SECOND,
  DEFAULT_SEGMENTS,
  MAX_RATE_PER_SECOND,
  MAX_SEGMENTS,
} from '../statemachine/backfill-contract.ts';
import { isLocal, localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
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
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: its only one)' },
  rate: {
    type: 'number',
    min: 1,
    max: MAX_RATE_PER_SECOND,
    whole: true,
    default: DEFAULT_RATE_PER_SECOND,
    value: 'N',
    help: 'most writes a second',
  },
  segments: {
    type: 'number',
    min: 1,
    max: MAX_SEGMENTS,
    whole: true,
    default: DEFAULT_SEGMENTS,
    value: 'N',
    help: 'parts that the table is read in, ten at a time',
  },
  'dry-run': { type: 'switch', help: 'read and count, write nothing' },
  config: CONFIG,
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) => `npx precise-ttl backfill [--table NAME] [flags]

Writes the window of its TTL into each item that lacks it, by an execution of the state machine that the prop backfill: true
provisions. An item whose TTL is changed meanwhile is left as it is. Run it again after an interruption or a failure: what has
been written is found to be right. While an execution runs, this command follows it instead of starting another one.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For the deployment of
npx precise-ttl local set AWS_ENDPOINT_URL_SFN and AWS_ENDPOINT_URL_DYNAMODB as it prints them. On AWS it asks for
confirmation before it starts, unless you give --yes or --dry-run.

${describeActions('backfill')}

Exit status: 0 every segment was read and nothing failed, 1 something failed or you declined, 2 wrong flags, 130 or 143
interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>, { args }: Line): Promise<number> {
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ runBackfill }, { stepFunctionsClient }, { tableSize }] = await Promise.all([
    import('./backfill/job.ts'),
    import('./aws/step-functions.ts'),
    import('./backfill/table-size.ts'),
  ]);
  const local = isLocal(process.env);
  const result = await runBackfill({
    table: flags.table,
    input: { segments: flags.segments, ratePerSecond: flags.rate, dryRun: flags['dry-run'] },
    resultFile,
    config: await loadConfigFile(flags.config),
    connect(region) {
      requireConsent(flags, 'SFN');
      return stepFunctionsClient(region, process.env);
    },
    sizeOf: (tableName, region) => tableSize(tableName, region, process.env, local),
    confirm: () => consent('Write the windows?', flags, stop.signal),
    now: Date.now,
    print,
    signal: stop.signal,
  });
  const texts = {
    declined: 'Nothing was started.',
    failed: `\nWhat is left is done by the same command:\n  ${commandLine('backfill', args)}`,
    interrupted: describeInterruption(args, result.end === 'interrupted' ? result.executionArn : undefined),
  };
  return tellEnd(result.end, texts, stop);
}

function describeInterruption(args: readonly string[], executionArn: string | undefined): string {
  if (executionArn === undefined) return '\nInterrupted; nothing was started.';
  const endpoint = localEndpoint(process.env);
  const at = endpoint === undefined ? '' : ` --endpoint-url ${endpoint.value}`;
  return `
Interrupted; the execution goes on. Follow it with
  ${commandLine('backfill', args)}
or stop it with
  aws stepfunctions stop-execution --execution-arn ${executionArn}${at}
Calls that are under way then go on for up to a minute.`;
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env)),
});
