import type { ItemKey } from '../../statemachine/contract.ts';
import { type LedgerEntry, readBook } from './ledger.ts';
import type { JournalTable } from './update-entry.ts';

/** The books that readers of the stream write. */
export const READERS = ['archived', 'published'] as const;
export type Reader = (typeof READERS)[number];

/**
 * How far the time of a deletion in a reader's book may be from its time in the sweep's, seconds: two clocks of AWS, and the answer to the
 * delete. The books are compared so much further on both sides.
 */
export const CLOCKS_APART_SECONDS = 60;

/** What a span of the ledger comes to. */
export interface Account {
  /** Keys that the sweep deleted, each once. */
  readonly deleted: number;
  /** Those of them that are not in the reader's book, oldest first. */
  readonly missing: readonly LedgerEntry[];
}

export interface AccountSpan {
  readonly table: string;
  readonly reader: Reader;
  /** Epoch seconds: deletions in [from, before), both on a minute. All keys deleted in it are in memory at once. */
  readonly from: number;
  readonly before: number;
}

/**
 * Which of the keys that the sweep deleted a reader has not seen.
 *
 * @throws JournalUnreadableError
 */
export async function compareBooks(
  journal: JournalTable,
  { table, reader, from, before }: AccountSpan,
): Promise<Account> {
  const missing = new Map<string, LedgerEntry>();
  for await (const { entries } of readBook(journal, { book: 'deleted', table, from, before })) {
    for (const entry of entries) missing.set(entryKey(entry.key), entry);
  }
  const deleted = missing.size;
  const read = { from: from - CLOCKS_APART_SECONDS, before: before + CLOCKS_APART_SECONDS };
  if (deleted > 0) {
    for await (const { entries } of readBook(journal, { book: reader, table, ...read })) {
      for (const { key } of entries) missing.delete(entryKey(key));
      if (missing.size === 0) break;
    }
  }
  return { deleted, missing: [...missing.values()].sort((one, other) => one.at - other.at) };
}

/** The same text for the same key, in whichever order its attributes come. */
export function entryKey(key: ItemKey): string {
  return JSON.stringify(Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1)));
}
