/** `precise-ttl proof`: verifies the manifests of deletions. See `--help`. */
import { readLocation } from '../operate/archive/location.ts';
import { requireOnePlace } from '../operate/aws/endpoint.ts';
import { FlagError, textFlag } from './flags.ts';
import { defineLook, MASK } from './look.ts';
import { workFromNow } from './output/work.ts';

const STATUS = { equal: 0, differs: 1, open: 3 } as const;

export const command = defineLook({
  name: 'proof',
  words: ['verify'],
  usage: 'verify --date DATE --from-archive PLACE [flags]',
  flags: {
    date: textFlag('DATE', 'the day of the deletions in UTC, such as 2026-11-22'),
    'from-archive': textFlag(
      'PLACE',
      's3://BUCKET or s3://BUCKET/PREFIX, without the folder proof; or a folder that has the same files',
    ),
    mask: MASK,
  },
  tables: 'the only one',
  about: `Verifies the manifest of a day's deletions: its counts and hashes against its own lines, the chain of all manifests of the table,
the lines of the archive, and the journal while that has the day. It names each line that was removed, added, changed or put into
another day, and each manifest or part of one that is missing or was replaced. It changes nothing.`,
  more: `A copy of the bucket in a folder is verified without AWS, and without the journal. docs/archive-and-events.md says what a manifest proves
and what it does not.`,
  services: ['DYNAMODB', 'S3'],
  status:
    '0 everything is as the manifest says, 1 something differs or it could not look, 2 wrong flags, 3 nothing differs but what came late cannot be told before the manifest of the next day is there',
  interrupted: 'nothing was verified',
  read({ date, 'from-archive': fromArchive = '', mask }) {
    const day = readDate(date);
    if (readLocation(fromArchive || undefined).kind === 's3')
      requireOnePlace(process.env, ['DYNAMODB', 'S3']);
    return { date: day, fromArchive, mask };
  },
  async look({ asked, config, table, signal, tell, show }) {
    const [{ verifyDay }, { describeProof }] = await Promise.all([
      import('../operate/proof/verify-day.ts'),
      import('./proof/text.ts'),
    ]);
    const describe = workFromNow();
    const report = await verifyDay({
      ...{ ...asked, config, table, signal },
      onProgress: done => show(describe({ ...done, what: 'lines' })),
    });
    tell({ report, text: () => describeProof(report) });
    return STATUS[report.end];
  },
});

function readDate(given: string | undefined): string {
  const ms = /^\d{4}-\d\d-\d\d$/.test(given ?? '') ? Date.parse(given ?? '') : Number.NaN;
  if (!Number.isNaN(ms)) return given ?? '';
  const got = given === undefined ? 'none' : `"${given}"`;
  throw new FlagError(`--date: expected a day in UTC such as 2026-11-22, got ${got}`);
}
