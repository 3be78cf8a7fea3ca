/** `precise-ttl proof`: verifies the manifests of deletions. See `--help`. */
import { loadConfigFile } from '../config/config-file.ts';
import { readLocation } from './archive/location.ts';
import { localEndpoint } from './aws/endpoint.ts';
import { describeSdkError } from './aws/errors.ts';
import { requireOnePlace } from './aws/one-place.ts';
import { CONFIG, FlagError, type FlagValues } from './flags.ts';
import { describeActions } from './iam-actions.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

const FLAGS = {
  date: { type: 'text', value: 'DATE', help: 'the day of the deletions in UTC, such as 2026-11-22' },
  'from-archive': {
    type: 'text',
    value: 'PLACE',
    help: 's3://BUCKET or s3://BUCKET/PREFIX, without the folder proof; or a folder that has the same files',
  },
  table: { type: 'text', value: 'NAME', help: 'a table of the configuration (default: the only one)' },
  config: CONFIG,
  mask: { type: 'switch', help: "show hashes instead of keys (default: as the table's logKeys says)" },
  json: { type: 'text', value: 'FILE', help: 'also write the result to a file, with all that was found' },
} as const;

const help = (flags: string) =>
  `npx precise-ttl proof verify --date DATE --from-archive PLACE [flags]

Verifies the manifest of a day's deletions: its counts and hashes against its own lines, the chain of all manifests of the table,
the lines of the archive, and the journal while that has the day. It names each line that was removed, added, changed or put into
another day, and each manifest or part of one that is missing or was replaced. It changes nothing.

${flags}

A copy of the bucket in a folder is verified without AWS, and without the journal. docs/archive.md says what a manifest proves and
what it does not.

It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. For a DynamoDB and an S3 on
this machine set AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_S3.

${describeActions('proof')}

Exit status: 0 everything is as the manifest says, 1 something differs or it could not look, 2 wrong flags, 3 nothing differs but
what came late cannot be told before the manifest of the next day is there, 130 or 143 interrupted.`;

const STATUS = { equal: 0, differs: 1, open: 3 } as const;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const date = readDate(flags.date);
  const location = readLocation(flags['from-archive']);
  const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
  if (location.kind === 's3') requireOnePlace(process.env, ['DYNAMODB', 'S3']);
  const stop = stopOnSignal();
  // Only now: a wrong flag shall not wait for the SDK.
  const [{ verifyProof }, { archiveClients }] = await Promise.all([
    import('./proof/job.ts'),
    import('./archive/clients.ts'),
  ]);
  const end = await verifyProof({
    ...{ date, resultFile, print, mask: flags.mask, table: flags.table },
    askJournal: location.kind === 's3',
    config: await loadConfigFile(flags.config),
    connect: region => archiveClients(region, location, process.env, stop.signal),
    now: Date.now(),
    signal: stop.signal,
  }).catch((error: unknown) => {
    if (stop.signal.aborted && (error as Error).name === 'AbortError') return 'interrupted' as const;
    throw error;
  });
  return end === 'interrupted' ? stop.status() : STATUS[end];
}

function readDate(given: string | undefined): string {
  const ms = /^\d{4}-\d\d-\d\d$/.test(given ?? '') ? Date.parse(given ?? '') : Number.NaN;
  if (!Number.isNaN(ms)) return given ?? '';
  const got = given === undefined ? 'none' : `"${given}"`;
  throw new FlagError(`--date: expected a day in UTC such as 2026-11-22, got ${got}`);
}

export const command = defineCommand({
  flags: FLAGS,
  words: ['verify'],
  help,
  run,
  describe: error => describeSdkError(error, localEndpoint(process.env, 'DYNAMODB'), 'DYNAMODB'),
});
