import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { LedgerTooLongError } from '../runtime/errors.ts';
import { READERS, type Reader } from './books.ts';
import { EXPIRES, JOURNAL_KEYS } from './layout.ts';
import { keyTextOf, LEDGER_DAYS, type LedgerEntry, minuteOf, readBook } from './ledger.ts';
import { CLOCKS_APART_SECONDS, isNear, nearest } from './nearest.ts';
import { unreadable } from './read-state.ts';
import { type JournalTable, updateItem } from './update-entry.ts';

/**
 * The result of comparing two books of the ledger for a span of time: the sweep's book of deleted keys, and that of a reader of the stream.
 */
export interface Account {
  /** Number of keys that the sweep deleted, each counted once. */
  readonly deleted: number;
  /** Deleted keys that are not in the reader's book, oldest first. */
  readonly missing: readonly LedgerEntry[];
}

export interface AccountSpan {
  readonly table: string;
  readonly reader: Reader;
  /** Epoch seconds: deletions in [from, before), both at the start of a minute. All keys deleted in the span are in memory at once. */
  readonly from: number;
  readonly before: number;
}

/** The limits of a comparison. */
export interface AccountLimits {
  /** Most deletions in the span; if there are more, the comparison fails. @default unlimited */
  readonly mostKeys?: number;
  /** Stops the reading of further rows when it is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * Finds the keys that the sweep deleted and a reader has not seen.
 *
 * @throws JournalUnreadableError, LedgerTooLongError, or the signal's reason
 */
export async function compareBooks(
  journal: JournalTable,
  { table, reader, from, before }: AccountSpan,
  { mostKeys = Number.POSITIVE_INFINITY, signal }: AccountLimits = {},
): Promise<Account> {
  const deleted = new Map<string, LedgerEntry[]>();
  for await (const { entries } of readBook(journal, { book: 'deleted', table, from, before })) {
    signal?.throwIfAborted();
    for (const entry of entries) {
      const key = keyTextOf(entry.key);
      const others = deleted.get(key);
      // In batch mode the keys of a chunk that is tried again are in the book twice.
      if (others === undefined) deleted.set(key, [entry]);
      else if (!others.some(other => other.ttl === entry.ttl && isNear(other, entry))) others.push(entry);
    }
    if (deleted.size > mostKeys)
      throw new LedgerTooLongError(
        `Ledger of ${table}, ${minuteOf(from)}: expected at most ${mostKeys} deletions, got more. \`precise-ttl audit\` compares them.`,
      );
  }
  const read = { from: from - CLOCKS_APART_SECONDS, before: before + CLOCKS_APART_SECONDS };
  const seen = new Map<string, LedgerEntry[]>();
  if (deleted.size > 0) {
    for await (const { entries } of readBook(journal, { book: reader, table, ...read })) {
      signal?.throwIfAborted();
      for (const entry of entries) {
        const key = keyTextOf(entry.key);
        if (!deleted.has(key)) continue;
        const others = seen.get(key);
        // A batch that is delivered again may have other bounds.
        if (others === undefined) seen.set(key, [entry]);
        else if (!others.some(({ at, ttl }) => at === entry.at && ttl === entry.ttl)) others.push(entry);
      }
    }
  }
  const missing: LedgerEntry[] = [];
  let count = 0;
  for (const [key, entries] of deleted) {
    const matched = nearest(entries, seen.get(key) ?? []);
    count += entries.length;
    for (const entry of entries) if (!matched.has(entry)) missing.push(entry);
  }
  return { deleted: count, missing: missing.sort((one, other) => one.at - other.at) };
}

/** The result of comparing a minute's books, as a tick records it. A minute without deletes has none. */
export interface AccountRow {
  /** When the minute began, epoch seconds. */
  readonly from: number;
  readonly deleted: number;
  /** Number of keys that a reader had not seen. A reader is missing until its time limit has run out, or if the table does not have it. */
  readonly missing: { readonly [Of in Reader]?: number };
}

/** Partition key of a table's accounts. */
function accountsId(table: string): string {
  return `accounts#${table}`;
}

/**
 * Records the result of comparing a minute with one reader's book. Each reader's number is an attribute of its own, because the readers'
 * time limits run out at different ticks.
 *
 * @param span of one minute
 * @throws JournalUnwritableError
 */
export async function writeAccount(
  journal: JournalTable,
  { table, reader, from }: Pick<AccountSpan, 'table' | 'reader' | 'from'>,
  { deleted, missing }: Account,
): Promise<void> {
  await updateItem(
    journal,
    { id: accountsId(table), at: minuteOf(from) },
    {
      UpdateExpression: 'SET #deleted = :deleted, #reader = :missing, #expires = :expires',
      ExpressionAttributeNames: { '#deleted': 'deleted', '#reader': reader, '#expires': EXPIRES },
      ExpressionAttributeValues: {
        ':deleted': deleted,
        ':missing': missing.length,
        ':expires': from + LEDGER_DAYS * 86_400,
      },
    },
  );
}

/**
 * Compares a minute with one reader's book, and records the result if anything was deleted in it.
 *
 * @throws JournalUnreadableError, JournalUnwritableError, LedgerTooLongError, or the signal's reason
 */
export async function takeAccount(
  journal: JournalTable,
  { table, reader, from }: Pick<AccountSpan, 'table' | 'reader' | 'from'>,
  limits: AccountLimits = {},
): Promise<Account> {
  const account = await compareBooks(journal, { table, reader, from, before: from + 60 }, limits);
  if (account.deleted > 0) await writeAccount(journal, { table, reader, from }, account);
  return account;
}

/**
 * The accounts of the minutes that began in [from, before), oldest first.
 *
 * @throws JournalUnreadableError
 */
export async function readAccounts(
  { documents, tableName }: JournalTable,
  { table, from, before }: Pick<AccountSpan, 'table' | 'from' | 'before'>,
): Promise<AccountRow[]> {
  const rows: AccountRow[] = [];
  let startKey: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: '#id = :id AND #at BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#id': JOURNAL_KEYS.partitionKey, '#at': JOURNAL_KEYS.sortKey },
      ExpressionAttributeValues: {
        ':id': accountsId(table),
        ':from': minuteOf(from),
        ':to': minuteOf(before - 1),
      },
      ConsistentRead: true,
      ...(startKey && { ExclusiveStartKey: startKey }),
    });
    const { Items = [], LastEvaluatedKey } = await documents.send(command).catch((error: unknown) => {
      throw unreadable(tableName, error);
    });
    rows.push(...Items.map(rowOf));
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
  return rows;
}

function rowOf({ at, deleted, ...item }: Record<string, unknown>): AccountRow {
  const missing = READERS.flatMap(reader =>
    item[reader] === undefined ? [] : [[reader, Number(item[reader])] as const],
  );
  return {
    from: Date.parse(`${at}Z`) / 1000,
    deleted: Number(deleted),
    missing: Object.fromEntries(missing),
  };
}
