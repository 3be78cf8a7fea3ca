import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { AccountSpan } from '../journal/accounts.ts';
import { READERS, type Reader } from '../journal/books.ts';
import { SETTING_KINDS } from '../runtime/environment.ts';
import { sideBySide } from './side-by-side.ts';
import type { TickSurroundings } from './tick-surroundings.ts';

/** The setting with a reader's time limit; a table without the reader has no such setting. */
const WITHIN = { archived: 'archivedWithinSeconds', published: 'publishedWithinSeconds' } as const;

/** Comparisons that run at once, of two queries each. */
const ACCOUNTS_AT_ONCE = 4;

/**
 * Most keys of a minute that are compared: with their entries in both books each takes a kilobyte, and several comparisons are in memory
 * at once.
 */
const MAX_KEYS = 20_000;

/** Timeout of all comparisons, milliseconds: the plan does not need them. */
const ACCOUNTS_MS = 5_000;

/**
 * Compares, for each reader of a table's stream, the sweep's deletes of one minute with those that the reader has seen, and records how
 * many it has not seen. It is the minute for which the reader's time limit has just run out. Paused tables are included, since deletes from before the
 * pause must still be archived or published.
 *
 * The minute is derived from Scheduler's scheduled time: a tick begins anywhere within a minute, and two ticks can begin in the same
 * minute of the clock. No failure here fails a tick: a minute with more than {@link MAX_KEYS} is left to `audit`, and a comparison that
 * takes too long is stopped.
 *
 * @param executionInput input of a tick of all tables
 */
export async function takeAccounts(
  tables: readonly CarriedSettings[],
  executionInput: unknown,
  { journal, record, logger, sleep }: Pick<TickSurroundings, 'journal' | 'record' | 'logger' | 'sleep'>,
): Promise<void> {
  const { scheduledTime } = executionInput as { readonly scheduledTime: string };
  const minute = Math.floor(Date.parse(scheduledTime) / 60_000) * 60;
  const spans = tables.flatMap(carried => READERS.flatMap(reader => spanOf(carried, reader, minute)));
  if (spans.length === 0) return;
  const tell = (error: unknown, table?: string) =>
    logger.error('cannot compare the ledger', { table, error: String(error).slice(0, 500) });
  const stop = new AbortController();
  const { signal } = stop;
  const taken = sideBySide(spans, ACCOUNTS_AT_ONCE, async span => {
    if (signal.aborted) return;
    try {
      const { missing } = await journal.takeAccount(span, { mostKeys: MAX_KEYS, signal });
      const told = { TableName: span.table, Reader: span.reader };
      if (missing.length > 0) record('DeletesUnread', missing.length, told);
    } catch (error) {
      if (!signal.aborted) tell(error, span.table);
    }
  });
  const inTime = await Promise.race([taken.then(() => true), sleep(ACCOUNTS_MS).then(() => false)]);
  if (inTime) return;
  stop.abort();
  tell(`expected an answer within ${ACCOUNTS_MS} ms`);
}

/** The minute whose deletions a reader must have seen by now, as a list; empty for a table without the reader. */
function spanOf(
  carried: CarriedSettings,
  reader: Reader,
  minute: number,
): Pick<AccountSpan, 'table' | 'reader' | 'from'>[] {
  const within = carried[WITHIN[reader]];
  if (!SETTING_KINDS[WITHIN[reader]].is(within)) return [];
  const from = Math.floor((minute - Number(within)) / 60) * 60 - 60;
  return [{ table: carried.tableName, reader, from }];
}
