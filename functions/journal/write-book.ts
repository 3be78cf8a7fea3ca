import type { Logger } from '@aws-lambda-powertools/logger';
import type { Journal } from './journal.ts';
import type { BookEntries } from './ledger.ts';

/** The journal with the ledger that a function writes, and the logger for failed writes. */
export interface Bookkeeping {
  readonly journal: Pick<Journal, 'writeEntries'>;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Writes entries into a book. If the write fails, it is logged and counted by the journal's metric, and nothing is thrown: the entries
 * describe what has already happened.
 *
 * @param withinMs timeout of the whole write, milliseconds
 */
export async function writeBook(
  { journal, logger }: Bookkeeping,
  entered: Omit<BookEntries, 'nowMs'>,
  withinMs: number,
): Promise<void> {
  const { book, entries } = entered;
  if (entries.length === 0) return;
  try {
    await journal.writeEntries(entered, withinMs);
  } catch (error) {
    const told = String(error).slice(0, 500);
    logger.error('cannot write the ledger', { book, entries: entries.length, error: told });
  }
}
