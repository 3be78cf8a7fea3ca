/** `precise-ttl restore`: writes archived items back into their table. See `--help`. */

import { modelOf } from '../config/model-of.ts';
import { type Location, readLocation } from '../operate/archive/location.ts';
import { requireOnePlace } from '../operate/aws/endpoint.ts';
import type { DrillOptions, RestoreOptions } from '../operate/changes.ts';
import { chooseTable } from '../operate/choose-tables.ts';
import type { WithArchive } from '../operate/restore/restore.ts';
import { FlagError, type FlagValues, switchFlag, textFlag, wholeNumber } from './flags.ts';
import { count } from './numbers.ts';
import { defineOperation, planOf, type Session } from './operation.ts';
import { workFromNow } from './output/work.ts';
import { readExpirySpan, readKeys } from './restore/keys.ts';
import { describeDrill, describeOutcome, describeRestore } from './restore/text.ts';
import { readDuration } from './times.ts';

const FLAGS = {
  'from-archive': textFlag('PLACE', 's3://BUCKET or s3://BUCKET/PREFIX, or a folder with the same files'),
  keys: textFlag('JSON', 'a key or a list of keys in DynamoDB JSON: \'{"id":{"S":"a"}}\''),
  'keys-file': textFlag('FILE', 'the same from a file: a list, or one key on each line'),
  'expired-from': textFlag('TIME', 'look only at what expired then or later: a date, or a time in ISO-8601'),
  'expired-to': textFlag('TIME', 'look only at what expired before'),
  'expires-in': textFlag('SPAN', 'when the restored items expire: 30m, 2h or 7d from now'),
  'without-expiry': switchFlag('the restored items do not expire'),
  drill: switchFlag('restore a sample into a scratch table, and compare'),
  sample: wholeNumber(1, 10_000_000, 'lines that a drill restores (default: 1000, or all of the span)'),
  mask: switchFlag("show hashes instead of keys (default: as the table's logKeys says)"),
} as const;

/** Limits of the new lifetime: a TTL may be at most 20 years ahead. */
const EXPIRES_IN = { least: '1s', most: '7300d' } as const;
/** Lines that a drill restores by default. */
const SAMPLE = 1000;

type Wanted = { readonly location: Location } & (
  | ({ readonly drill: true } & DrillOptions)
  | ({ readonly drill: false } & RestoreOptions)
);

export const command = defineOperation({
  name: 'restore',
  usage: ['--from-archive PLACE --keys JSON --expires-in SPAN [flags]', '--from-archive PLACE --drill'],
  tables: 'one',
  flags: FLAGS,
  dryRun: 'look what is in the archive, write nothing',
  about: `Writes items of an archive back into their table, with a new expiry. Of each key it takes the image that expired last. It never
touches an item that is there: each write has the condition that the table has no item with this key. So it can be run again.

The archive must have items in DynamoDB JSON, as it has by default. It is searched from the latest date of expiry on backwards, until
all keys are found: --expired-from and --expired-to spare objects that need not be read. docs/archive-and-events.md has more.

With --drill it restores a sample into a scratch table that it makes with the keys of the table, reads each item back, compares it with
its line, and deletes the scratch table. The table itself is not written to. It names each poisoned line by object and number. One
drill of a table runs at a time; one that was cut off leaves its scratch table, which the next drill deletes.`,
  services: ['DYNAMODB'],
  beside: ['S3'],
  question: 'Write these items?',
  status: {
    done: 'each key was restored or is there already',
    not: 'some are not in the archive, a line of it cannot be read (which is named and passed over), something failed, a drill found a poisoned line',
  },
  read(flags, config): Wanted {
    const location = readLocation(flags['from-archive']);
    if (location.kind === 's3') requireOnePlace(process.env, ['DYNAMODB', 'S3']);
    const span = readExpirySpan(flags['expired-from'], flags['expired-to']);
    const { table, drill, dryRun, mask } = flags;
    if (drill) {
      refuseBesideDrill(flags);
      const isBounded = flags['expired-from'] !== undefined || flags['expired-to'] !== undefined;
      return {
        location,
        drill,
        config,
        table,
        span,
        sample: flags.sample ?? (isBounded ? undefined : SAMPLE),
      };
    }
    if (flags.sample !== undefined)
      throw new FlagError('--sample: expected it with --drill, got it alone; only a drill takes a sample');
    const expiresInMs = readExpiresIn(flags);
    const keys = readKeys(flags, modelOf(chooseTable(config, table)));
    return { location, drill, config, table, span, dryRun, mask, keys, expiresInMs };
  },
  async prepare(wanted, session) {
    const { openArchive } = await import('../operate/archive/archive-source.ts');
    const { region } = wanted.config;
    const { source, destroy } = openArchive(region, wanted.location, process.env, session.signal);
    session.atEnd(destroy);
    return wanted.drill
      ? planDrill({ ...wanted, source }, session)
      : planRestore({ ...wanted, source }, session);
  },
});

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

/** A drill refuses the flags that are only for a restore into the table itself. */
function refuseBesideDrill(flags: FlagValues<typeof FLAGS> & { readonly dryRun: boolean }): void {
  const given = { ...flags, 'dry-run': flags.dryRun };
  for (const name of ['keys', 'keys-file', 'expires-in', 'without-expiry', 'dry-run'] as const) {
    if (given[name] !== undefined && given[name] !== false)
      throw new FlagError(`--drill: expected it without --${name}, got both; write one of them`);
  }
}

/** Searches the archive, and describes what will be written. */
export async function planRestore(wanted: RestoreOptions & Pick<WithArchive, 'source'>, session: Session) {
  const { print, show } = session;
  const describe = workFromNow();
  const { prepareRestore } = await import('../operate/restore/restore.ts');
  const { facts, apply } = await prepareRestore({
    ...{ ...wanted, clients: session.clients, signal: session.signal },
    onDate: (date, found, keys) => show(`${date}: ${found} of ${keys} keys found`),
    onProgress: done => show(describe({ ...done, what: 'items written' })),
  });
  show('');
  return planOf({
    facts: describeRestore(facts, wanted.dryRun ?? false),
    ...(facts.found === 0 && { question: undefined }),
    apply,
    tell(result) {
      show('');
      print(`\n${describeOutcome(result)}`);
      if (result.interrupted) return { end: 'interrupted' };
      const isComplete =
        result.unreadable.lines === 0 &&
        result.keys.every(({ fate }) => fate !== 'notInArchive' && fate !== 'failed');
      return isComplete ? { end: 'done' } : { end: 'failed', note: 'Not every key was restored.' };
    },
  });
}

/** Reads the archive, and describes the drill. */
export async function planDrill(wanted: DrillOptions & Pick<WithArchive, 'source'>, session: Session) {
  const { print, show } = session;
  const describe = workFromNow();
  let done = 0;
  const { prepareDrill } = await import('../operate/restore/drill.ts');
  const { facts, apply } = await prepareDrill({
    ...{ ...wanted, clients: session.clients, signal: session.signal },
    onLeftBehind: () => print('A scratch table of a drill that was cut off is there: it is deleted first.'),
    onObject: (at, { lines, poisoned }) => {
      const more = [`${count(lines)} lines`, `${count(poisoned)} poisoned`];
      show(describe({ at, what: 'objects', done, total: facts.objects, more }));
      done += 1;
    },
  });
  return planOf({
    facts: {
      title: `Drill of ${facts.table}: the table itself is not written to`,
      rows: [
        ['archive', `${facts.archive}: ${facts.objects} of ${facts.of} objects, of ${facts.dates} dates`],
        ['scratch', `the table ${facts.scratchTable}: made for the drill, deleted at its end`],
      ],
    },
    question: 'Make the scratch table and write into it?',
    apply,
    tell(result) {
      show('');
      print(`\n${describeDrill(result)}`);
      if (result.interrupted) return { end: 'interrupted' };
      const note = 'Lines of the archive are poisoned: docs/archive-and-events.md says what to do.';
      return result.poisoned.length === 0 ? { end: 'done' } : { end: 'failed', note, isFinal: true };
    },
  });
}
