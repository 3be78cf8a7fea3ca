import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { EXPIRES, JOURNAL_KEYS } from './layout.ts';
import { unreadable } from './read-state.ts';
import { type JournalTable, updateItem } from './update-entry.ts';

/*
 * Counts the deletes that DynamoDB throttles while they happen: a sweep writes its row only at its end, up to three minutes later. Only
 * throttled deletes of an upcoming minute are counted, whose chunks are tried once.
 */

/** Length of the span whose throttled deletes one item of the journal counts, in seconds. */
const SLOT_SECONDS = 10;

/** Seconds after which native TTL removes a count. */
const KEPT_SECONDS = 3_600;

/** Age in seconds up to which {@link readThrottled} counts a throttled delete. */
export const THROTTLED_SECONDS = 60;

/** Partition key of a table's counts. */
function throttledId(table: string): string {
  return `throttled#${table}`;
}

/** Sort key of the counts at a moment. @param seconds epoch seconds */
function slotAt(seconds: number): string {
  return new Date(Math.floor(seconds / SLOT_SECONDS) * SLOT_SECONDS * 1000).toISOString();
}

/**
 * Adds throttled deletes to the count.
 *
 * @param keys number of throttled deletes, including repeated ones of the same key
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
 * Returns the number of throttled deletes in the last minute, including repeated ones of the same key.
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
      // An item that begins before the minute may count older deletes too.
      ':from': new Date(nowMs - THROTTLED_SECONDS * 1000).toISOString(),
    },
    ConsistentRead: true,
  });
  const { Items = [] } = await documents.send(command).catch((error: unknown) => {
    throw unreadable(tableName, error);
  });
  return Items.reduce((sum, { keys }) => sum + Number(keys), 0);
}
