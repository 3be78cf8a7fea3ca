import type { BookEntries, LedgerEntry } from '../journal/ledger.ts';
import { type Bookkeeping, writeBook } from '../journal/write-book.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { SettledKey } from './deletion.ts';

type LedgerSettings = Pick<
  SweepSettings,
  'tableName' | 'archivedWithinSeconds' | 'publishedWithinSeconds' | 'proof'
>;

/** Whether the deletes are written into the ledger: to compare them with the readers of the stream, or for a proof. */
export function hasLedger({ archivedWithinSeconds, publishedWithinSeconds, proof }: LedgerSettings): boolean {
  return archivedWithinSeconds !== undefined || publishedWithinSeconds !== undefined || proof === true;
}

/**
 * Writes the results of a call's keys into the ledger.
 *
 * @param atMs when the call was done with these keys, epoch milliseconds
 * @param withinMs timeout of the write, milliseconds
 */
export async function writeSettled(
  bookkeeping: Bookkeeping,
  settled: readonly SettledKey[],
  settings: LedgerSettings,
  { atMs, withinMs }: { readonly atMs: number; readonly withinMs: number },
): Promise<void> {
  const books = bookEntries(settled, settings, Math.floor(atMs / 1000));
  await Promise.all(books.map(entered => writeBook(bookkeeping, entered, withinMs)));
}

/** Makes the ledger's entries. Items that were not deleted are entered for a proof only. @param at epoch seconds */
function bookEntries(
  settled: readonly SettledKey[],
  { tableName: table, proof }: LedgerSettings,
  at: number,
): Omit<BookEntries, 'nowMs'>[] {
  const deleted: LedgerEntry[] = [];
  const kept: LedgerEntry[] = [];
  for (const { expired, became } of settled) {
    const entry = { ...expired, at };
    if (became === 'deleted') deleted.push(entry);
    else if (proof === true) kept.push({ ...entry, kept: became });
  }
  return [
    { book: 'deleted', table, entries: deleted },
    { book: 'kept', table, entries: kept },
  ];
}
