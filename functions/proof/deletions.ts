import { keyTextOf, type LedgerEntry } from '../journal/ledger.ts';
import { CLOCKS_APART_SECONDS, isNear, nearest } from '../journal/nearest.ts';

/** A deletion, joined from the books of a ledger. */
export interface Deletion {
  /** DynamoDB JSON with the attributes sorted by name. */
  readonly keyText: string;
  /** Epoch seconds; null if the item had no TTL, or one that is no time. */
  readonly expiredAt: number | null;
  /** Epoch seconds. */
  readonly deletedAt: number;
  /** Who deleted it: the sweep, or `other` if only the stream's reader has seen it, for example when native TTL deletes. */
  readonly by: 'sweep' | 'other';
  /** SHA-256 of its line in the archive; missing if there is none. */
  readonly line?: string;
}

/**
 * Seconds that are read before and after the wanted span: twice the largest difference of the clocks. So all entries are read that can
 * match an entry of the span, and all that can match those.
 */
export const READ_AROUND_SECONDS = 2 * CLOCKS_APART_SECONDS;

/**
 * The deletions of a span: those in the sweep's book, each with the archive's line of the same key and nearly the same time, and those
 * that only the archive has. The time in the sweep's book counts if there is one, so that a deletion belongs to exactly one span even if
 * the reader's clock differs. Order and repetition of the entries change nothing.
 *
 * @param entries entries of the span and of {@link READ_AROUND_SECONDS} on both sides
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

/** Whether two entries are of the same record, which was delivered again in another batch. */
function isSameLine(entry: LedgerEntry, before: LedgerEntry | undefined): boolean {
  return (
    before !== undefined && entry.at === before.at && entry.line === before.line && entry.ttl === before.ttl
  );
}

/** Whether an entry repeats another. In batch mode the keys of a chunk that is tried again are in the book twice. */
function isRepeated(entry: LedgerEntry, before: LedgerEntry | undefined): boolean {
  return before !== undefined && entry.ttl === before.ttl && isNear(entry, before);
}
