import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { EXPIRES, JOURNAL_KEYS } from './layout.ts';
import { unreadable } from './read-state.ts';
import { type JournalTable, updateItem } from './update-entry.ts';

/*
 * How many deletes DynamoDB throttles, as it happens: a sweep has its row only when it has ended, which is up to three minutes later. Only those
 * of chunks that are tried once are noted, which are those of an upcoming minute.
 */

/** Counts of so many seconds are in one item. */
const SLOT_SECONDS = 10;

/** So long a count is kept, seconds; the native TTL removes it. */
const KEPT_SECONDS = 3_600;

/** A throttling counts for so long, seconds. */
export const THROTTLED_SECONDS = 60;

/** Partition key of a table's counts. */
function throttledId(table: string): string {
  return `throttled#${table}`;
}

/** Sort key of the counts of a moment. @param seconds epoch */
function slotAt(seconds: number): string {
  return new Date(Math.floor(seconds / SLOT_SECONDS) * SLOT_SECONDS * 1000).toISOString();
}

/**
 * Adds to what DynamoDB has throttled.
 *
 * @param keys that it throttled in deletes, each as often as it did
 * @throws JournalUnwritableError
 */
export async function noteThrottled(
  journal: JournalTable,
  table: string,
  { keys, nowMs }: { readonly keys: number; readonly nowMs: number },
): Promise<void> {
  const now = nowMs / 1000;
  await updateItem(
    journal,
    { id: throttledId(table), at: slotAt(now) },
    {
      UpdateExpression: 'ADD #keys :keys SET #expires = :expires',
      ExpressionAttributeNames: { '#keys': 'keys', '#expires': EXPIRES },
      ExpressionAttributeValues: { ':keys': keys, ':expires': Math.floor(now) + KEPT_SECONDS },
    },
  );
}

/**
 * Keys whose delete DynamoDB has throttled in the last minute, each as often as it did.
 *
 * @throws JournalUnreadableError
 */
export async function readThrottled(
  { documents, tableName }: JournalTable,
  table: string,
  nowMs: number,
): Promise<number> {
  const command = new QueryCommand({
    TableName: tableName,
    KeyConditionExpression: '#id = :id AND #at >= :from',
    ExpressionAttributeNames: { '#id': JOURNAL_KEYS.partitionKey, '#at': JOURNAL_KEYS.sortKey },
    ExpressionAttributeValues: {
      ':id': throttledId(table),
      // One that began before the minute may hold what is longer ago.
      ':from': new Date(nowMs - THROTTLED_SECONDS * 1000).toISOString(),
    },
    ConsistentRead: true,
  });
  const { Items = [] } = await documents.send(command).catch((error: unknown) => {
    throw unreadable(tableName, error);
  });
  return Items.reduce((sum, { keys }) => sum + Number(keys), 0);
}
