import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { AccountSpan } from '../journal/accounts.ts';
import { READERS, type Reader } from '../journal/books.ts';
import { SETTING_KINDS } from '../runtime/environment.ts';
import { sideBySide } from './side-by-side.ts';
import type { TickSurroundings } from './tick-surroundings.ts';

/** The setting that says how long a reader has; a table that has no such reader has no such setting. */
const WITHIN = { archived: 'archivedWithinSeconds', published: 'publishedWithinSeconds' } as const;

/** Accounts that are taken at once, each of two queries. */
const ACCOUNTS_AT_ONCE = 4;

/** Keys of a minute that are compared: with their entries in both books a kilobyte each, and so many accounts are in memory at once. */
const MAX_KEYS = 20_000;

/** So long all of them may take, milliseconds: the plan does not need them. */
const ACCOUNTS_MS = 5_000;

/**
 * Compares, for each reader of a table's stream, the minute for which its time has just run out: what was deleted in it and the reader has
 * not seen is recorded. Each tick compares one minute of each reader; the tables that are paused are among them, since what was deleted
 * before the pause is owed.
 *
 * It goes by the minute for which Scheduler has fired: a tick begins anywhere within it, and two of them can begin in one minute of the clock.
 * Nothing of it fails a tick: a minute with more than {@link MAX_KEYS} is left to `audit`, and what has not ended in time is stopped.
 *
 * @param executionInput of a tick of all tables
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

/** The minute that ended as long before this one as the reader has; none for a table without it. */
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
