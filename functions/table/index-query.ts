import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ExpiryModel } from '../../expiry/model.ts';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import { answeredAt, type Documents, type RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import type { IndexKey, IndexLayout } from './index-layout.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from './item-key.ts';

/** The TTLs that a query reads, both ends included, epoch seconds. */
export interface TtlRange {
  readonly from: number;
  readonly upTo: number;
}

/** The entries under one index key that one Query returned. */
export interface IndexPage {
  /** In the order of their TTL. */
  readonly entries: ExpiredKey[];
  /** For each entry, the position after it. */
  readonly positions: ItemKey[];
  /** Whether the key may have more entries in the range. */
  readonly more: boolean;
  /** DynamoDB's clock at the answer, epoch seconds, rounded down; undefined when the answer had no date, or no query was made. */
  readonly readAt?: number | undefined;
}

/** Reads the entries under an index key, from a position; `limit` is the most entries. */
export type ReadIndex = (
  key: IndexKey,
  range: TtlRange,
  startKey: ItemKey | null,
  limit: number,
) => Promise<IndexPage>;

const NOTHING: IndexPage = { entries: [], positions: [], more: false };

/**
 * Makes a reader of this table's index.
 * @throws DynamoDbBusyError when DynamoDB throttles or is unavailable; DynamoDB's own error otherwise
 */
export function indexReader(
  documents: Documents,
  { tableName, indexName, model }: SweepSettings,
  options: RequestOptions = {},
): ReadIndex {
  const { ttlAttribute } = model;
  const keyNames = keyAttributeNames(model);
  return async (indexKey, range, startKey, limit) => {
    const { from, upTo } = range;
    const isOutside = indexKey.ttl !== undefined && (indexKey.ttl < from || indexKey.ttl > upTo);
    if (upTo < from || isOutside) return NOTHING;
    const request: QueryCommandInput = {
      TableName: tableName,
      IndexName: indexName,
      ...keyCondition(model, indexKey, range, startKey),
      Limit: limit,
    };
    const answer = await documents.send(new QueryCommand(request), options).catch((error: unknown) => {
      throw isBusy(error)
        ? new DynamoDbBusyError(`Query of ${indexName}: ${error}`, { cause: error })
        : error;
    });
    const items = answer.Items ?? [];
    return {
      entries: items.map(item => ({ key: toItemKey(item, keyNames), ttl: Number(item[ttlAttribute]) })),
      positions: items.map(item => toItemKey(item, [...keyNames, ttlAttribute])),
      more: answer.LastEvaluatedKey !== undefined,
      readAt: answeredAt(answer),
    };
  };
}

/** The key condition of a query. By second the index has no sort key: all entries under a key have the same TTL. */
export function keyCondition(
  { ttlAttribute, windowAttribute }: ExpiryModel,
  { value }: IndexKey,
  { from, upTo }: TtlRange,
  startKey: ItemKey | null,
): Partial<QueryCommandInput> {
  const start = startKey && toNativeKey(startKey);
  if (windowAttribute === undefined) {
    return {
      KeyConditionExpression: '#ttl = :second',
      ExpressionAttributeNames: { '#ttl': ttlAttribute },
      ExpressionAttributeValues: { ':second': value },
      ...(start && { ExclusiveStartKey: start }),
    };
  }
  return {
    KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
    ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
    ExpressionAttributeValues: { ':window': value, ':from': from, ':upTo': upTo },
    ...(start && { ExclusiveStartKey: { [windowAttribute]: value, ...start } }),
  };
}

/**
 * The earliest TTL of a target that is expired, or will be within its span; undefined when there is none. It reads one entry of each key.
 * By second it stops at the first key with such a TTL.
 *
 * @throws DynamoDbBusyError also when time runs out before all keys are read
 */
export async function earliestTtl(
  readIndex: ReadIndex,
  layout: IndexLayout,
  target: SweepTarget,
  outOfTime: () => boolean,
): Promise<number | undefined> {
  const { from, before } = target;
  let earliest: number | undefined;
  for (const [index, key] of layout.keys(target).entries()) {
    if (index > 0 && outOfTime())
      throw new DynamoDbBusyError('DynamoDB answers too slowly to probe every second');
    const { entries } = await readIndex(key, { from, upTo: before }, null, 1);
    const [first] = entries;
    // BETWEEN includes its upper end; the span does not.
    if (first === undefined || first.ttl >= before) continue;
    earliest = Math.min(earliest ?? first.ttl, first.ttl);
    if (key.ttl !== undefined) break;
  }
  return earliest;
}
