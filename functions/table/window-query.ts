import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ExpiredKey, ItemKey, SweepTarget } from '../../statemachine/contract.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import type { Documents, RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from './item-key.ts';

/** The TTLs that a query reads, both ends included, epoch seconds. */
export interface TtlRange {
  readonly from: number;
  readonly upTo: number;
}

/** As many entries of one window as one Query gave. */
export interface WindowPage {
  /** In the order of their TTL. */
  readonly entries: ExpiredKey[];
  /** For each entry, where a query goes on behind it. */
  readonly positions: ItemKey[];
  /** Whether the window may hold more in the range. */
  readonly more: boolean;
}

/** Reads a window of the index, from a position on; `limit` is the most entries. */
export type ReadWindow = (
  windowKey: string,
  range: TtlRange,
  startKey: ItemKey | null,
  limit: number,
) => Promise<WindowPage>;

/**
 * Reads windows of this table's index.
 * @throws DynamoDbBusyError when DynamoDB throttles or is unavailable; DynamoDB's own error otherwise
 */
export function windowReader(
  documents: Documents,
  { tableName, indexName, model }: SweepSettings,
  options: RequestOptions = {},
): ReadWindow {
  const { ttlAttribute, windowAttribute } = model;
  const keyNames = keyAttributeNames(model);
  return async (windowKey, { from, upTo }, startKey, limit) => {
    if (upTo < from) return { entries: [], positions: [], more: false };
    const request: QueryCommandInput = {
      TableName: tableName,
      IndexName: indexName,
      KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
      ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
      ExpressionAttributeValues: { ':window': windowKey, ':from': from, ':upTo': upTo },
      Limit: limit,
      ...(startKey && { ExclusiveStartKey: { [windowAttribute]: windowKey, ...toNativeKey(startKey) } }),
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
    };
  };
}

/** The earliest TTL in the windows of a target that is, or within its span will be, expired; reads one entry each. */
export async function earliestTtl(
  readWindow: ReadWindow,
  { windowKeys, from, before, cutoff }: SweepTarget,
): Promise<number | undefined> {
  const range = { from, upTo: Math.min(cutoff ?? before, before) };
  const pages = await Promise.all(windowKeys.map(windowKey => readWindow(windowKey, range, null, 1)));
  // BETWEEN includes its upper end; the span does not.
  const ttls = pages.flatMap(({ entries }) => entries.map(({ ttl }) => ttl)).filter(ttl => ttl < before);
  return ttls.length === 0 ? undefined : Math.min(...ttls);
}
