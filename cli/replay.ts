/** `precise-ttl replay`: sweeps a span of time again, on AWS or on this machine. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import { MAX_DELETES_PER_SECOND } from '../statemachine/contract.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { commandLine } from './command-line.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { CONFIG, FlagError, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { tellEnd } from './job-end.ts';
import { print } from './print.ts';
import type { ReplayJobOptions } from './replay/job.ts';
import { defineCommand, type Line } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  from: { type: 'text', value: 'TIME', help: 'the first expiry time to sweep, ISO-8601 with a zone' },
  to: { type: 'text', value: 'TIME', help: 'where the span ends; not part of it' },
  index: {
    type: 'switch',
    help: 'instead of a span: scan the whole index for what is overdue, however old and wherever it lies',
  },
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: all of them)' },
  config: CONFIG,
  'dry-run': { type: 'switch', help: 'find and count, delete nothing; counts again each time' },
  'split-minutes': {
    type: 'number',
    min: 1,
    max: 44_640,
    whole: true,
    value: 'N',
    help: 'how much of the span one execution sweeps (default: 60, and more for a span of more than 999 hours)',
  },
  concurrency: {
    type: 'number',
    min: 1,
    max: 100,
    whole: true,
    default: 4,
    value: 'N',
    help: 'executions at a time',
  },
  'max-per-second': {
    type: 'number',
    min: 1,
    max: MAX_DELETES_PER_SECOND,
    whole: true,
    value: 'N',
    help: 'deletes per second and table at most, shared by the executions (default: maxDeletesPerSecond of the configuration)',
  },
  run: { type: 'text', value: 'LABEL', help: 'sweeps the same span once more, under this label' },
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) => `npx precise-ttl replay --from TIME --to TIME [flags]
npx precise-ttl replay --index

Sweeps a span of expiry times again, for example after an outage, by executions of the deployment's NAME-replay. Items that are
live are never deleted, whatever the span. Run it again after an interruption or a failure, and it continues where it stopped:
it does not repeat executions that succeeded, waits for those that still run, and tries again those that failed.

With --index it reads all of the index, deletes what has been overdue for more than ten minutes, and names what no sweep ever deletes:
TTLs out of range. A scan that was ended goes on where it was when it is started again.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For the local
Step Functions of npx precise-ttl local set AWS_ENDPOINT_URL_SFN=http://127.0.0.1:8083. On AWS it asks for confirmation before it
starts, unless you give --yes or --dry-run.

${describeActions('replay')}

Exit status: 0 everything was swept, 1 something failed or you declined, 2 wrong flags, 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>, { args }: Line): Promise<number> {
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  if (flags.index) requireNone(flags, ['from', 'to', 'split-minutes', 'run']);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ runReplay }, { runIndexScan }, { stepFunctionsClient }] = await Promise.all([
    import('./replay/job.ts'),
    import('./replay/index-scan.ts'),
    import('./aws/step-functions.ts'),
  ]);
  const options: ReplayJobOptions = {
    from: flags.from,
    to: flags.to,
    table: flags.table,
    dryRun: flags['dry-run'],
    splitMinutes: flags['split-minutes'],
    concurrency: flags.concurrency,
    maxPerSecond: flags['max-per-second'],
    label: flags.run,
    resultFile,
    config: await loadConfigFile(flags.config),
    connect(region) {
      requireConsent(flags, 'SFN');
      return stepFunctionsClient(region, process.env);
    },
    confirm: () => consent('Delete what is expired there?', flags, stop.signal),
    now: Date.now(),
    print,
    signal: stop.signal,
  };
  const end = await (flags.index ? runIndexScan : runReplay)(options);
  const texts = {
    declined: 'Nothing was started.',
    failed: `\n${again(args, 'What failed is tried again by the same command')}`,
    interrupted: `\nInterrupted; executions that were started go on. ${again(args, flags['dry-run'] ? 'Count again with' : 'Go on with')}`,
  };
  return tellEnd(end, texts, stop);
}

/** Flags of a span have no meaning for a scan. */
function requireNone(flags: FlagValues<typeof FLAGS>, names: readonly (keyof typeof FLAGS)[]): void {
  const given = names.find(name => flags[name] !== undefined);
  if (given !== undefined)
    throw new FlagError(`--${given}: it does not go with --index, which reads the whole index`);
}

const again = (args: readonly string[], how: string) => `${how}:\n  ${commandLine('replay', args)}`;

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env)),
});
