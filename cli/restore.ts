/** `precise-ttl restore`: writes archived items back into their table. See `--help`. */

import { loadConfigFile } from '../config/config-file.ts';
import { Progress } from '../lab/report/progress.ts';
import { readLocation } from './archive/location.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { requireOnePlace } from './aws/one-place.ts';
import { commandLine } from './command-line.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { readDuration } from './duration.ts';
import { CONFIG, FlagError, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { tellEnd } from './job-end.ts';
import { print } from './print.ts';
import { readExpirySpan } from './restore/span.ts';
import { defineCommand, type Line } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  'from-archive': {
    type: 'text',
    value: 'PLACE',
    help: 's3://BUCKET or s3://BUCKET/PREFIX, without the folder of the table; or a folder that has the same files',
  },
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: the only one)' },
  config: CONFIG,
  keys: {
    type: 'text',
    value: 'JSON',
    help: 'a key or a list of keys in DynamoDB JSON: \'{"id":{"S":"a"}}\'',
  },
  'keys-file': { type: 'text', value: 'FILE', help: 'the same from a file: a list, or one key on each line' },
  'expired-from': {
    type: 'text',
    value: 'TIME',
    help: 'look only at what expired then or later: a date in UTC, or a time in ISO-8601 with a zone',
  },
  'expired-to': { type: 'text', value: 'TIME', help: 'look only at what expired before' },
  'expires-in': {
    type: 'text',
    value: 'SPAN',
    help: 'when the restored items expire: 30m, 2h or 7d from now',
  },
  'without-expiry': { type: 'switch', help: 'the restored items do not expire' },
  drill: {
    type: 'switch',
    help: 'restore a sample into a scratch table, compare and delete that table; takes no keys and no expiry',
  },
  sample: {
    type: 'number',
    min: 1,
    max: 10_000_000,
    whole: true,
    value: 'N',
    help: 'lines that a drill restores (default: 1000 over all dates, or all between --expired-from and --expired-to)',
  },
  'dry-run': { type: 'switch', help: 'look what is in the archive, write nothing' },
  mask: { type: 'switch', help: "show hashes instead of keys (default: as the table's logKeys says)" },
  yes: YES,
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file' },
} as const;

const help = (flags: string) =>
  `npx precise-ttl restore --from-archive PLACE --keys JSON --expires-in SPAN [flags]

Writes items of an archive back into their table, with a new expiry. Of each key it takes the image that expired last. It never
touches an item that is there: each write has the condition that the table has no item with this key. So it can be run again.

${flags}

The archive must have items in DynamoDB JSON, as it has by default. It is searched from the latest date of expiry on backwards, until
all keys are found: --expired-from and --expired-to spare objects that need not be read. docs/archive.md has more.

With --drill it restores a sample into a scratch table that it makes with the keys of the table, reads each item back, compares it with
its line, and deletes the scratch table. The table itself is not written to. It names each poisoned line by object and number. One
drill of a table runs at a time; one that was cut off leaves its scratch table, which the next drill deletes.

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For a DynamoDB and an S3 on
this machine set AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_S3. On AWS it asks for confirmation before it writes, unless you give
--yes or --dry-run.

${describeActions('restore')}

Exit status: 0 each key was restored or is there already, 1 some are not in the archive, a line of it cannot be read (which is named
and passed over), something failed, a drill found a poisoned line,
or you declined, 2 wrong flags, 130 or 143 interrupted.`;

/** As long as a TTL may be ahead. */
const EXPIRES_IN = { least: '1s', most: '7300d' } as const;

function readExpiresIn(flags: FlagValues<typeof FLAGS>): number | undefined {
  const { 'expires-in': expiresIn, 'without-expiry': without } = flags;
  if ((expiresIn === undefined) !== without) {
    const got = without ? 'both' : 'neither';
    throw new FlagError(
      `--expires-in: expected it or --without-expiry, got ${got}; the old expiry has passed, so say when the restored items expire`,
    );
  }
  return expiresIn === undefined ? undefined : readDuration('--expires-in', expiresIn, EXPIRES_IN);
}

/** A drill takes nothing that says what is restored into the table itself. */
function readNone(flags: FlagValues<typeof FLAGS>): undefined {
  for (const name of ['keys', 'keys-file', 'expires-in', 'without-expiry', 'dry-run'] as const) {
    if (flags[name] !== undefined && flags[name] !== false)
      throw new FlagError(`--drill: expected it without --${name}, got both; write one of them`);
  }
}

/** Lines that a drill restores where nothing says how many. */
const SAMPLE = 1000;

async function run(flags: FlagValues<typeof FLAGS>, { args }: Line): Promise<number> {
  const location = readLocation(flags['from-archive']);
  const span = readExpirySpan(flags['expired-from'], flags['expired-to']);
  if (flags.sample !== undefined && !flags.drill)
    throw new FlagError('--sample: expected it with --drill, got it alone; only a drill takes a sample');
  const expiresInMs = flags.drill ? readNone(flags) : readExpiresIn(flags);
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  if (location.kind === 's3') requireOnePlace(process.env, ['DYNAMODB', 'S3']);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ runRestore }, { runDrill }, { archiveClients }] = await Promise.all([
    import('./restore/job.ts'),
    import('./restore/drill.ts'),
    import('./archive/clients.ts'),
  ]);
  const progress = new Progress(process.stderr);
  const shared = {
    ...{ span, resultFile, print },
    table: flags.table,
    config: await loadConfigFile(flags.config),
    connect(region: string) {
      requireConsent(flags, 'DYNAMODB');
      return archiveClients(region, location, process.env, stop.signal);
    },
    signal: stop.signal,
  };
  const onLine = (line: string) => (line === '' ? progress.end() : progress.show(line));
  const isBounded = flags['expired-from'] !== undefined || flags['expired-to'] !== undefined;
  const job = flags.drill
    ? runDrill({
        ...shared,
        sample: flags.sample ?? (isBounded ? undefined : SAMPLE),
        confirm: () => consent('Make the scratch table and write into it?', flags, stop.signal),
        onProgress: onLine,
      })
    : runRestore({
        ...{ ...shared, expiresInMs },
        keys: flags.keys,
        keysFile: flags['keys-file'],
        dryRun: flags['dry-run'],
        mask: flags.mask,
        confirm: () => consent('Write these items?', flags, stop.signal),
        now: Date.now(),
        onSearch: onLine,
      });
  const end = await job.catch((error: unknown) => {
    progress.end();
    // Only the search is broken off; what was written is told by the job.
    if (stop.signal.aborted && (error as Error).name === 'AbortError') return 'interrupted' as const;
    throw error;
  });
  const again = commandLine('restore', args);
  const texts = {
    declined: 'Nothing was written.',
    failed: flags.drill
      ? '\nLines of the archive are poisoned: docs/archive.md says what to do.'
      : `\nNot every key was restored. The same command tries the others again:\n  ${again}`,
    interrupted: `\nInterrupted. The same command ${flags.drill ? 'drills anew' : 'goes on'}:\n  ${again}`,
  };
  return tellEnd(end, texts, stop);
}

export const command = defineCommand({
  flags: FLAGS,
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
