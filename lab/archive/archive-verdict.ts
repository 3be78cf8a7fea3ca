import type { ArchiveLine } from '../../functions/archive/archive-line.ts';
import { linesOf, type ObjectLine } from './archived-objects.ts';
import { itemText } from './item-text.ts';
import { type Life, lifeId } from './life.ts';
import { problem } from './problem.ts';

/** A removal, as the table's stream tells it to whoever reads it without a pause. */
export interface RecordedRemoval {
  readonly life: Life;
  readonly sequenceNumber: string;
  /** When it was read, epoch milliseconds. */
  readonly atMs: number;
}

/** What the archive of all removals is held against. Lives go by their id. */
export interface ArchiveEvidence {
  /** What the keys of a table's objects begin with, with the slash at the end. */
  readonly folder: string;
  /** Gone, and expired by then: the text of each item as it was last written. */
  readonly expired: ReadonlyMap<string, string>;
  /** Deleted by users before their expiry. */
  readonly userDeleted: ReadonlyMap<string, string>;
  /** In the table. */
  readonly alive: ReadonlySet<string>;
  readonly removals: readonly RecordedRemoval[];
  /** By key. */
  readonly objects: Iterable<readonly [key: string, body: Uint8Array]>;
}

export interface ArchiveCounts {
  /** Expired items, each once. */
  readonly expiries: number;
  readonly userDeletes: number;
  readonly alive: number;
  readonly objects: number;
  /** Objects with nothing that an earlier one does not have. */
  readonly objectsTwice: number;
  readonly lines: number;
  /** Lines of items that an earlier line has. */
  readonly linesTwice: number;
}

export interface ArchiveVerdict {
  readonly counts: ArchiveCounts;
  /** Broken promises; empty when all are kept. */
  readonly problems: readonly string[];
}

/** Holds an archive of all removals against what was written and what the stream told. */
export function judgeArchive(evidence: ArchiveEvidence): ArchiveVerdict {
  const { expired, userDeleted, alive } = evidence;
  const objects = [...evidence.objects].sort(([one], [other]) => (one < other ? -1 : 1));
  const unreadable: string[] = [];
  const firsts = new Map<string, ObjectLine<ArchiveLine>>();
  const twice: ObjectLine<ArchiveLine>[] = [];
  let objectsTwice = 0;
  let lines = 0;
  for (const [key, body] of objects) {
    const found = readable(key, body, unreadable);
    const before = firsts.size;
    lines += found.length;
    for (const each of found) {
      const id = idOf(each);
      if (firsts.has(id)) twice.push(each);
      else firsts.set(id, each);
    }
    if (firsts.size === before) objectsTwice += 1;
  }
  const all = [...firsts];
  const written = (id: string) => expired.get(id) ?? userDeleted.get(id);
  const lost = (lives: ReadonlyMap<string, string>) => [...lives.keys()].filter(id => !firsts.has(id));
  const where = all.filter(([id]) => !alive.has(id) && written(id) !== undefined);
  const ids = (found: readonly (readonly [string, unknown])[]) => found.map(([id]) => id);
  const problems = [
    ...problem(unreadable, 'objects cannot be read'),
    ...problem(lost(expired), 'expired items are not in the archive'),
    ...problem(lost(userDeleted), 'items that users deleted are not in the archive of all removals'),
    ...problem(ids(all.filter(([id]) => alive.has(id))), 'items in the archive are alive'),
    ...problem(
      ids(all.filter(([id]) => !alive.has(id) && written(id) === undefined)),
      'items in the archive were never written so',
    ),
    ...problem(
      ids(where.filter(([id, { line }]) => (line.removal === 'expiry') !== expired.has(id))),
      'removals are not told apart: a user delete before the expiry is called an expiry, or the other way round',
    ),
    ...problem(
      ids(where.filter(([, { object, line }]) => !object.startsWith(partitionOf(evidence.folder, line)))),
      'lines lie in the wrong partition',
    ),
    ...problem(
      ids(where.filter(([id, { line }]) => itemText(line.item) !== written(id))),
      'images are not what was written',
    ),
    ...problem(
      twice.filter(each => !isSame(each.line, firsts.get(idOf(each))?.line)).map(idOf),
      'items have lines that differ: they are not in one object after de-duplication by key and expiry',
    ),
    ...problem(
      twice.filter(each => each.object === firsts.get(idOf(each))?.object).map(idOf),
      'items stand twice in one object',
    ),
    ...againstStream(evidence, firsts),
  ];
  return {
    counts: {
      expiries: expired.size,
      userDeletes: userDeleted.size,
      alive: alive.size,
      objects: objects.length,
      objectsTwice,
      lines,
      linesTwice: twice.length,
    },
    problems,
  };
}

function againstStream(
  { removals, expired, userDeleted }: ArchiveEvidence,
  lines: ReadonlyMap<string, ObjectLine<ArchiveLine>>,
): string[] {
  const removed = new Map(removals.map(removal => [removal.life.id, removal]));
  const books = [...expired.keys(), ...userDeleted.keys()];
  const known = new Set(books);
  const other = [...lines].filter(([id, { line }]) => {
    const record = removed.get(id);
    if (record === undefined) return known.has(id);
    const second = new Date(Math.floor(record.atMs / 1000) * 1000).toISOString();
    return record.sequenceNumber !== line.sequenceNumber || second !== line.deletedAt;
  });
  return [
    ...problem(
      books.filter(id => !removed.has(id)),
      'items are gone, but the stream does not tell of it',
    ),
    ...problem(
      [...removed.keys()].filter(id => !known.has(id)),
      'items were removed that should be there',
    ),
    ...problem(
      other.map(([id]) => id),
      "lines have another sequence number or time than the stream's record",
    ),
  ];
}

function readable(key: string, body: Uint8Array, unreadable: string[]): ObjectLine<ArchiveLine>[] {
  try {
    return linesOf<ArchiveLine>(key, body);
  } catch {
    unreadable.push(key);
    return [];
  }
}

const idOf = ({ line }: ObjectLine<ArchiveLine>): string => lifeId(line.key, line.expiredAt);

const isSame = (one: ArchiveLine, other: ArchiveLine | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function partitionOf(folder: string, { removal, expiredAt, deletedAt }: ArchiveLine): string {
  return removal === 'expiry'
    ? `${folder}expired_date=${(expiredAt ?? deletedAt).slice(0, 10)}/`
    : `${folder}removed_date=${deletedAt.slice(0, 10)}/`;
}
