import { keyTextOf, type LedgerEntry } from '../journal/ledger.ts';
import { CLOCKS_APART_SECONDS, isNear, nearest } from '../journal/nearest.ts';

/** A deletion, as the books of a ledger have it together. */
export interface Deletion {
  /** DynamoDB JSON with the attributes in the order of their names. */
  readonly keyText: string;
  /** Epoch seconds; null where the item had no TTL that is a time. */
  readonly expiredAt: number | null;
  /** Epoch seconds. */
  readonly deletedAt: number;
  /** The sweep, or somebody else: only the stream's reader has seen it, as it sees what native TTL deletes. */
  readonly by: 'sweep' | 'other';
  /** SHA-256 of its line in the archive; missing where it is in none. */
  readonly line?: string;
}

/**
 * So much of the books is read before and after the span whose deletions are wanted. Twice what the clocks may be apart: the entries that
 * could be matched with one of the span are there, and so are those that could be matched with these.
 */
export const READ_AROUND_SECONDS = 2 * CLOCKS_APART_SECONDS;

/**
 * The deletions of a span: those that the sweep has in its book, each with the archive's line of the same key and nearly the same time, and
 * those that the archive alone has. A deletion belongs to the time that the sweep's book has, where it is there: so it belongs to one span
 * although the reader's clock may say another one. The order of the entries and their repetition change nothing.
 *
 * @param entries of the span and of {@link READ_AROUND_SECONDS} on both sides
 * @param from epoch seconds: deletions in [from, before)
 */
export function deletionsOf(
  {
    deleted,
    archived,
  }: { readonly deleted: Iterable<LedgerEntry>; readonly archived: Iterable<LedgerEntry> },
  { from, before }: { readonly from: number; readonly before: number },
): Deletion[] {
  const deletedBy = Map.groupBy(deleted, ({ key }) => keyTextOf(key));
  const archivedBy = Map.groupBy(archived, ({ key }) => keyTextOf(key));
  return [...new Set([...deletedBy.keys(), ...archivedBy.keys()])]
    .flatMap(key => deletionsOfKey(key, deletedBy.get(key) ?? [], archivedBy.get(key) ?? []))
    .filter(({ deletedAt }) => deletedAt >= from && deletedAt < before);
}

function deletionsOfKey(
  keyText: string,
  deleted: readonly LedgerEntry[],
  archivedEntries: readonly LedgerEntry[],
): Deletion[] {
  const archived = inOrder(archivedEntries).filter((entry, index, all) => !isSameLine(entry, all[index - 1]));
  const swept = inOrder(deleted).filter((entry, index, all) => !isRepeated(entry, all[index - 1]));
  const lines = nearest(swept, archived);
  const ofSweep = new Set(lines.values());
  return [
    ...swept.map(entry => {
      const line = lines.get(entry);
      return deletion(keyText, line?.ttl ?? entry.ttl, entry.at, 'sweep', line?.line);
    }),
    ...archived
      .filter(entry => !ofSweep.has(entry))
      .map(({ ttl, at, line }) => deletion(keyText, ttl, at, 'other', line)),
  ];
}

function deletion(
  keyText: string,
  expiredAt: number | null,
  deletedAt: number,
  by: Deletion['by'],
  line: string | undefined,
): Deletion {
  return { keyText, expiredAt, deletedAt, by, ...(line !== undefined && { line }) };
}

function inOrder(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const text = ({ ttl, line }: LedgerEntry) => `${line ?? ''} ${ttl}`;
  return [...entries].sort((one, other) => one.at - other.at || (text(one) < text(other) ? -1 : 1));
}

/** A batch of the stream that was delivered again, and cut otherwise. */
function isSameLine(entry: LedgerEntry, before: LedgerEntry | undefined): boolean {
  return (
    before !== undefined && entry.at === before.at && entry.line === before.line && entry.ttl === before.ttl
  );
}

/** In batch mode a chunk that is tried again has its keys in the book twice. */
function isRepeated(entry: LedgerEntry, before: LedgerEntry | undefined): boolean {
  return before !== undefined && entry.ttl === before.ttl && isNear(entry, before);
}
