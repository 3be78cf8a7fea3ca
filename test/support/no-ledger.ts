import type { Bookkeeping } from '../../functions/journal/write-book.ts';

/** A journal for tests that do not look at the ledger. */
export const NO_LEDGER: Bookkeeping['journal'] = { writeEntries: async () => undefined };
