import type { Book } from '../../functions/journal/books.ts';
import { type LedgerEntry, type LedgerRow, minuteOf } from '../../functions/journal/ledger.ts';
import type { ReadRows } from '../../functions/proof/build-day.ts';
import type { ProofStore } from '../../functions/proof/write-manifests.ts';

export interface BookRow extends LedgerRow {
  readonly book: Book;
}

/** Books in memory. A row has entries of one minute, as those of the journal. */
export function readRows(rows: readonly BookRow[]): ReadRows {
  return async function* (book, from, before) {
    for (const row of rows) {
      const minute = minuteOf(row.entries[0]?.at ?? 0);
      if (row.book === book && minute >= minuteOf(from) && minute < minuteOf(before)) yield row;
    }
  };
}

/** Rows of these entries, one each. */
export function rowsOf(
  book: Book,
  entries: readonly LedgerEntry[],
  writtenAt = '2026-11-01T00:00:00.000Z',
): BookRow[] {
  return entries.map(entry => ({ book, writtenAt, entries: [entry] }));
}

/** Objects in memory. */
export function memoryStore(objects = new Map<string, Uint8Array>()) {
  const put = async (path: string, body: Uint8Array) => void objects.set(path, body);
  const store: ProofStore = {
    folders: async path => {
      const below = [...objects.keys()]
        .filter(key => key.startsWith(path))
        .map(key => key.slice(path.length));
      return [...new Set(below.filter(key => key.includes('/')).map(key => key.slice(0, key.indexOf('/'))))];
    },
    get: async path => objects.get(path),
    put,
    create: async (path, body) => {
      if (objects.has(path)) return false;
      await put(path, body);
      return true;
    },
  };
  return { store, objects };
}
