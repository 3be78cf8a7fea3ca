import type { Logger } from '@aws-lambda-powertools/logger';
import type { Journal } from './journal.ts';
import type { BookEntries } from './ledger.ts';

/** Where a function writes the ledger of its table. */
export interface Bookkeeping {
  readonly journal: Pick<Journal, 'writeEntries'>;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Writes entries into a book. What cannot be written is logged, and the journal's metric counts it: what they say has happened, whether it
 * is written down or not.
 *
 * @param withinMs milliseconds for all of it
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
