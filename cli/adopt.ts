/** `precise-ttl adopt`: makes a table that exists ready to be swept. See `--help`. */
import { Progress } from '../lab/report/progress.ts';
import { MAX_GRACE_SECONDS } from '../statemachine/contract.ts';
import { CannotAdoptError } from './adopt/errors.ts';
import { isLocal, localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { commandLine } from './command-line.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { BY, FlagError, type FlagValues, USAGE_STATUS } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { defineCommand, type Line } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { TableNotFoundError } from './table/errors.ts';
import { writableFile } from './writable-file.ts';

const UNITS = { type: 'number', min: 1, max: 40_000, whole: true, value: 'N' } as const;

const FLAGS = {
  table: { type: 'text', value: 'NAME', help: 'the table' },
  'ttl-attribute': {
    type: 'text',
    value: 'NAME',
    help: "attribute with the moment of expiry (default: native TTL's; else what the items show, and you are asked)",
  },
  by: { ...BY, default: 'second', help: 'second: writers stamp nothing; window: docs/indexes.md' },
  'index-name': {
    type: 'text',
    value: 'NAME',
    help: 'name of the index (default: expirySecondIndex, or expirationWindowIndex by window)',
  },
  'index-read-units': { ...UNITS, help: 'of a provisioned table: read units a second of the index' },
  'index-write-units': {
    ...UNITS,
    help: "of a provisioned table: write units a second of the index (default: the table's, less for items without a TTL)",
  },
  'hold-attribute': {
    type: 'text',
    value: 'NAME',
    help: 'attribute that holds an item; native TTL is not turned on then: docs/hold-and-grace.md',
  },
  'grace-seconds': {
    type: 'number',
    min: 0,
    max: MAX_GRACE_SECONDS,
    whole: true,
    value: 'N',
    help: 'seconds from the expiry to the deletion; native TTL is not turned on then',
  },
  full: {
    type: 'switch',
    help: 'look at every item before anything is changed, not only at a sample of at most 1,000',
  },
  'delete-expired': {
    type: 'number',
    min: 1,
    max: 40_000,
    whole: true,
    value: 'N',
    help: 'delete at the end what is expired already, N items a second (default: you are asked; with --yes it is left)',
  },
  mask: { type: 'switch', help: 'show hashes instead of keys' },
  region: { type: 'text', value: 'REGION', help: "AWS region (default: the SDK's, such as $AWS_REGION)" },
  'dry-run': { type: 'switch', help: 'say what would be done; change nothing and ask nothing' },
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the plan and the result to a file' },
} as const;

const help = (flags: string) => `npx precise-ttl adopt --table NAME [flags]

Makes a table that exists ready to be swept. Reads it, and a sample of its items; says what is to be done and what it costs;
asks; adds the index that the sweep needs and waits until DynamoDB has built it; turns native TTL on, as the backstop; and
prints the table's entry for the configuration. It changes nothing else of the table. What is there already is not done again:
run it as often as you like, also after an interruption. At the end it asks whether to delete the items that are expired
already; without a yes to that it changes no item. With --full it reads every item first, at a rate that spares the table, and
refuses the index where a TTL is no Number.

${flags}

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on). For the local DynamoDB of npx precise-ttl local set
AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000; there it does not ask.

${describeActions('adopt')}

Exit status: 0 done, or everything was there; 1 it could not be done, or you declined; 2 wrong flags, or the table cannot be
adopted as it is; 130 or 143 interrupted.`;

/** How often DynamoDB is asked how the index is, milliseconds. An index takes minutes at least; on this machine, nothing. */
const POLL_MS = 5000;
const LOCAL_POLL_MS = 200;

async function run(flags: FlagValues<typeof FLAGS>, { args }: Line): Promise<number> {
  const { table, yes, region } = flags;
  if (table === undefined)
    throw new FlagError('--table: expected the name of a table, got none; write --table NAME');
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  const local = isLocal(process.env, 'DYNAMODB');
  requireConsent(flags, 'DYNAMODB');
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ adopt }, { adoptClients }] = await Promise.all([
    import('./adopt/job.ts'),
    import('./adopt/clients.ts'),
  ]);
  const progress = new Progress(process.stdout);
  try {
    const end = await adopt({
      tableName: table,
      ttlAttribute: flags['ttl-attribute'],
      indexedBy: flags.by,
      indexName: flags['index-name'],
      indexReadUnits: flags['index-read-units'],
      indexWriteUnits: flags['index-write-units'],
      holdAttribute: flags['hold-attribute'],
      graceSeconds: flags['grace-seconds'],
      full: flags.full,
      deleteExpired: flags['delete-expired'],
      mask: flags.mask,
      dryRun: flags['dry-run'],
      clients: adoptClients(region ?? defaultRegion(local), process.env),
      resultFile,
      ask: yes || !process.stdin.isTTY ? undefined : text => consent(text, flags, stop.signal),
      print,
      show: line => (line === '' ? progress.end() : progress.show(line)),
      pollMs: local ? LOCAL_POLL_MS : POLL_MS,
      signal: stop.signal,
      now: Date.now,
    });
    if (end === 'done') return 0;
    if (end === 'declined') {
      printError('Nothing was changed.');
      return 1;
    }
    printError(`Go on with:\n  ${commandLine('adopt', args)}`);
    return stop.status();
  } catch (error) {
    progress.end();
    // Only reading is broken off; a change that was begun is told by the job.
    if (stop.signal.aborted && (error as Error).name === 'AbortError') {
      printError('Interrupted: nothing was changed.');
      return stop.status();
    }
    if (!(error instanceof CannotAdoptError || error instanceof TableNotFoundError)) throw error;
    printError(error.message);
    return USAGE_STATUS;
  } finally {
    stop.forget();
  }
}

/** The SDK reads $AWS_REGION and the profile by itself; a table on this machine lies in no region. */
function defaultRegion(local: boolean): string | undefined {
  const named = process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined;
  return named ?? (local ? 'us-east-1' : undefined);
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
