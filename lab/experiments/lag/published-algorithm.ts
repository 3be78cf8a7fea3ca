/**
 * The published way to delete by expiry windows, as its description says, with the weaknesses that follow from it. It
 * is the baseline here: not meant to be good, and never to be used.
 *
 * 1. An item is stamped into the minute (start, end] that its TTL lies in.
 * 2. Once a minute, the window that has just ended is queried: window = its key, `ttl < end`. An item that expires exactly at the end of a
 *    window is in that window, but fails `ttl < end`: it is never found.
 * 3. One page is read, 1 MB of index entries; what is beyond it is never looked at again.
 * 4. The page is deleted in batches of 25, one after the other, even when items were changed meanwhile.
 * 5. Unprocessed items are retried immediately, three times at the most, and then forgotten.
 * 6. Nothing looks back: a window whose minute was missed stays.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { WindowModel } from '../../../expiry/index.ts';
import { CHUNK_KEYS } from '../../../statemachine/contract/limits.ts';

const WINDOW_SECONDS = 60;
const RETRIES = 3;

interface PublishedWindow {
  /** `<start>_<end>`, ISO-8601 with milliseconds. */
  readonly key: string;
  /** Epoch seconds. */
  readonly end: number;
}

function windowThatEnds(end: number): PublishedWindow {
  const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();
  return { key: `${iso(end - WINDOW_SECONDS)}_${iso(end)}`, end };
}

/** The window (start, end] that an item is stamped into. */
export function stampedWindow(ttl: number): PublishedWindow {
  return windowThatEnds(Math.ceil(ttl / WINDOW_SECONDS) * WINDOW_SECONDS);
}

/** The window that an invocation at a certain minute queries. */
function sweptWindow(nowMs: number): PublishedWindow {
  return windowThatEnds(Math.floor(nowMs / 1000 / WINDOW_SECONDS) * WINDOW_SECONDS);
}

/** The table operations that the algorithm uses. */
export interface PublishedStore<Key> {
  /** The first page of a window's items with a TTL before a moment (epoch seconds). */
  readonly queryPage: (windowKey: string, before: number) => Promise<readonly Key[]>;
  /** @returns what was left unprocessed */
  readonly deleteBatch: (keys: readonly Key[]) => Promise<readonly Key[]>;
}

export async function sweepPublished<Key>(store: PublishedStore<Key>, nowMs: number): Promise<void> {
  const { key, end } = sweptWindow(nowMs);
  const found = await store.queryPage(key, end);
  for (let start = 0; start < found.length; start += CHUNK_KEYS) {
    let batch = found.slice(start, start + CHUNK_KEYS);
    for (let attempt = 0; batch.length > 0 && attempt <= RETRIES; attempt += 1) {
      batch = [...(await store.deleteBatch(batch))];
    }
  }
}

type Key = Record<string, unknown>;

/** Implements the published algorithm's requests to a DynamoDB table. */
export function publishedStore(
  client: DynamoDBClient,
  tableName: string,
  indexName: string,
  { partitionKey, sortKey, ttlAttribute, windowAttribute }: WindowModel,
): PublishedStore<Key> {
  const documents = DynamoDBDocumentClient.from(client);
  const keyNames = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return {
    queryPage: async (windowKey, before) => {
      // The query has no Limit: the page ends where DynamoDB ends it.
      const { Items = [] } = await documents.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: indexName,
          KeyConditionExpression: '#window = :window AND #ttl < :before',
          ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
          ExpressionAttributeValues: { ':window': windowKey, ':before': before },
        }),
      );
      return Items.map(item => Object.fromEntries(keyNames.map(name => [name, item[name]])));
    },
    deleteBatch: async keys => {
      const { UnprocessedItems } = await documents.send(
        new BatchWriteCommand({
          RequestItems: { [tableName]: keys.map(key => ({ DeleteRequest: { Key: key } })) },
        }),
      );
      return (UnprocessedItems?.[tableName] ?? []).flatMap(({ DeleteRequest }) => DeleteRequest?.Key ?? []);
    },
  };
}

const MINUTE_MS = 60_000;

/**
 * Calls a function at every full minute, from the next one on. It does not wait for a call that is still running, like invocations of a
 * Lambda function.
 * @param onError gets the error of a rejected action
 * @returns a function that stops the calls, and resolves when no action is running
 */
export function everyMinute(
  action: (minuteMs: number) => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const underWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  const arm = (minuteMs: number): void => {
    timer = setTimeout(() => {
      // Timers may fire a little early.
      if (Date.now() < minuteMs) return arm(minuteMs);
      const done: Promise<void> = action(minuteMs)
        .catch(onError)
        .finally(() => underWay.delete(done));
      underWay.add(done);
      arm(minuteMs + MINUTE_MS);
    }, minuteMs - Date.now());
  };
  arm(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + MINUTE_MS);
  return async () => {
    clearTimeout(timer);
    await Promise.all(underWay);
  };
}
