import { gunzipSync } from 'node:zlib';
import { PutCommand, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { compressed, hashOfLines } from '../archive/archive-object.ts';
import { imageText } from '../archive/image-text.ts';
import { type Book, bookId } from './books.ts';
import { EXPIRES, JOURNAL_KEYS } from './layout.ts';
import { unreadable } from './read-state.ts';
import { type JournalTable, unwritable } from './update-entry.ts';

/*
 * The ledger of a table records which items a sweep deleted, and which of them each reader of the stream has seen. The sweep and the
 * readers write it independently of each other, so a difference between their books is a deletion that was not archived or not published.
 *
 * Entries are grouped by the minute of the deletion, not of the expiry, so a deletion belongs to one minute, however late it was. The sweep
 * takes that time from its own clock and a reader takes it from the stream's record: the two differ by seconds.
 */

/** A key in a book. */
export interface LedgerEntry {
  readonly key: ItemKey;
  /** TTL in epoch seconds; null if the item had none, or one that is no time. */
  readonly ttl: number | null;
  /** Epoch seconds: when the item was deleted, or when the sweep decided not to delete it. */
  readonly at: number;
  /** Why the item was not deleted; only in the book `kept`. */
  readonly kept?: 'renewed';
  /** SHA-256 of the item's line in the archive, without the line end, hexadecimal; only in the book `archived`. */
  readonly line?: string;
}

/** Entries of one minute that one call of a function has written. */
export interface LedgerRow {
  /** When the row was written, ISO-8601. */
  readonly writtenAt: string;
  readonly entries: readonly LedgerEntry[];
}

/** Days for which the journal keeps the ledger. A stream keeps a record for one day. */
export const LEDGER_DAYS = 14;

/**
 * Most bytes of a row's entries as text: an item has at most 400 KB, and keys may be long and hard to compress. Source: DynamoDB Developer
 * Guide, "Quotas".
 */
const MAX_ROW_BYTES = 256 * 1024;

/** The text of a key, which does not depend on the order of its attributes. */
export function keyTextOf(key: ItemKey): string {
  return imageText(key, 'dynamodb-json');
}

/** The minute of a time, with which the sort keys of the ledger begin: `2026-11-23T15:35`. @param seconds epoch seconds */
export function minuteOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16);
}

/** Entries for a book. */
export interface BookEntries {
  readonly book: Book;
  readonly table: string;
  readonly entries: readonly LedgerEntry[];
  readonly nowMs: number;
}

/**
 * Writes entries into a book, one row for each minute. Writing the same entries again changes nothing, not even the time of the first
 * write.
 *
 * @param withinMs timeout of the whole write, milliseconds
 * @throws JournalUnwritableError
 */
export async function writeEntries(
  { documents, tableName }: JournalTable,
  entered: BookEntries,
  withinMs = 5_000,
): Promise<void> {
  const abortSignal = AbortSignal.timeout(withinMs);
  const put = async (Item: Record<string, unknown>) => {
    const ConditionExpression = `attribute_not_exists(${JOURNAL_KEYS.partitionKey})`;
    const command = new PutCommand({ TableName: tableName, Item, ConditionExpression });
    try {
      await documents.send(command, { abortSignal });
    } catch (error) {
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
    }
  };
  try {
    // Writes run concurrently: a reader that was down for a day has rows for many minutes.
    await Promise.all(rowItems(entered).map(put));
  } catch (error) {
    throw unwritable(tableName, error);
  }
}

/** Makes the rows of entries, as the journal stores them. */
export function rowItems({ book, table, entries, nowMs }: BookEntries): Record<string, unknown>[] {
  return [...Map.groupBy(entries, ({ at }) => minuteOf(at))].flatMap(([minute, those]) =>
    [...rowsOf(those.map(entry => JSON.stringify(entry)))].map(lines => ({
      id: bookId(book, table),
      at: `${minute}#${hashOfLines(lines)}`,
      entries: compressed(lines),
      writtenAt: new Date(nowMs).toISOString(),
      [EXPIRES]: Math.floor(nowMs / 1000) + LEDGER_DAYS * 86_400,
    })),
  );
}

/** Splits lines into as many rows as needed. */
function* rowsOf(lines: readonly string[]): Generator<readonly string[]> {
  let row: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1;
    if (row.length > 0 && bytes + length > MAX_ROW_BYTES) {
      yield row;
      row = [];
      bytes = 0;
    }
    row.push(line);
    bytes += length;
  }
  if (row.length > 0) yield row;
}

/** A span of a book. */
export interface BookSpan {
  readonly book: Book;
  readonly table: string;
  /** Epoch seconds: deletions in [from, before), rounded down to their minutes. */
  readonly from: number;
  readonly before: number;
}

/**
 * Reads the rows of a book by the minutes of their deletions, oldest minute first. It reads a page of up to 1 MB when the caller needs
 * more rows.
 *
 * @throws JournalUnreadableError
 */
export async function* readBook(
  { documents, tableName }: JournalTable,
  { book, table, from, before }: BookSpan,
): AsyncGenerator<LedgerRow> {
  let startKey: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const command: QueryCommand = new QueryCommand({
      TableName: tableName,
      // The minute is followed by `#`, which sorts before the digits of any later minute.
      KeyConditionExpression: '#id = :id AND #at BETWEEN :from AND :before',
      ExpressionAttributeNames: { '#id': JOURNAL_KEYS.partitionKey, '#at': JOURNAL_KEYS.sortKey },
      ExpressionAttributeValues: {
        ':id': bookId(book, table),
        ':from': minuteOf(from),
        ':before': minuteOf(before),
      },
      ConsistentRead: true,
      ...(startKey && { ExclusiveStartKey: startKey }),
    });
    const { Items = [], LastEvaluatedKey } = await documents.send(command).catch((error: unknown) => {
      throw unreadable(tableName, error);
    });
    for (const { writtenAt, entries } of Items) yield { writtenAt, entries: entriesOf(entries) };
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
}

function entriesOf(gzipped: Uint8Array): LedgerEntry[] {
  return gunzipSync(gzipped)
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}
