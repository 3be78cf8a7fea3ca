import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ItemKey, WindowShard } from '../../statemachine/contract.ts';
import type { Documents } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import type { SweepSettings } from './environment.ts';
import { DynamoDbBusyError } from './errors.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from './item-key.ts';

/** One page of the index, as far as one Query gave it. */
export interface ExpiredPage {
  /** Primary keys, in the order of their TTL. */
  readonly keys: ItemKey[];
  /** For each key, where a query goes on behind it. */
  readonly positions: ItemKey[];
  /** Whether the index may hold more behind the last one. */
  readonly more: boolean;
}

/**
 * Queries one (window, shard) of the index for what is expired.
 *
 * @param startKey a position of an earlier page, or null
 * @param limit most index entries to read
 * @throws DynamoDbBusyError when DynamoDB throttles or is unavailable; DynamoDB's own error otherwise
 */
export async function queryExpired(
  documents: Documents,
  { tableName, indexName, model }: SweepSettings,
  { windowKey, from, before, cutoff }: WindowShard,
  startKey: ItemKey | null,
  limit: number,
): Promise<ExpiredPage> {
  const { ttlAttribute, windowAttribute } = model;
  const upTo = Math.min(cutoff, before);
  if (upTo < from) return { keys: [], positions: [], more: false };
  const request: QueryCommandInput = {
    TableName: tableName,
    IndexName: indexName,
    KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
    ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
    ExpressionAttributeValues: { ':window': windowKey, ':from': from, ':upTo': upTo },
    Limit: limit,
    ...(startKey && { ExclusiveStartKey: { [windowAttribute]: windowKey, ...toNativeKey(startKey) } }),
  };
  const answer = await documents.send(new QueryCommand(request)).catch((error: unknown) => {
    throw isBusy(error) ? new DynamoDbBusyError(`Query of ${indexName}: ${error}`, { cause: error }) : error;
  });
  const keyNames = keyAttributeNames(model);
  // BETWEEN includes its upper end, and a TTL with a fraction can lie between before - 1 and before.
  const items = (answer.Items ?? []).filter(item => Number(item[ttlAttribute]) < before);
  return {
    keys: items.map(item => toItemKey(item, keyNames)),
    positions: items.map(item => toItemKey(item, [...keyNames, ttlAttribute])),
    more: answer.LastEvaluatedKey !== undefined && items.length > 0,
  };
}
