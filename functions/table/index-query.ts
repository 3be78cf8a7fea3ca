import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ExpiryModel } from '../../expiry/model.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError } from '../runtime/errors.ts';
import { answeredAt, type Documents, type RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import type { IndexKey } from './index-layout.ts';
import { keyAttributeNames, toItemKey } from './item-key.ts';

/** `from` <= TTL <= `upTo`, epoch seconds. */
export interface TtlRange {
  readonly from: number;
  readonly upTo: number;
}

export interface IndexPage {
  readonly entries: ExpiredKey[];
  readonly more: boolean;
  /** DynamoDB's clock at the answer, epoch seconds, rounded down. Undefined if the answer had no date or no query was needed. */
  readonly readAt?: number | undefined;
}

export type ReadIndex = (key: IndexKey, range: TtlRange, limit: number) => Promise<IndexPage>;

export type CountIndex = (key: IndexKey, range: TtlRange) => Promise<number>;

const NOTHING: IndexPage = { entries: [], more: false };

export function indexReader(
  documents: Documents,
  settings: SweepSettings,
  options: RequestOptions = {},
): ReadIndex {
  const { ttlAttribute } = settings.model;
  const keyNames = keyAttributeNames(settings.model);
  return async (indexKey, range, limit) => {
    const { from, upTo } = range;
    const isOutside = indexKey.ttl !== undefined && (indexKey.ttl < from || indexKey.ttl > upTo);
    if (upTo < from || isOutside) return NOTHING;
    const query = queryOf(settings, indexKey, range, { Limit: limit });
    const answer = await send(documents, query, options);
    const items = answer.Items ?? [];
    return {
      entries: items.map(item => ({ key: toItemKey(item, keyNames), ttl: Number(item[ttlAttribute]) })),
      more: answer.LastEvaluatedKey !== undefined,
      readAt: answeredAt(answer),
    };
  };
}

export function indexCounter(documents: Documents, settings: SweepSettings): CountIndex {
  return async (indexKey, range) => {
    let count = 0;
    let start: QueryCommandInput['ExclusiveStartKey'];
    do {
      const query = queryOf(settings, indexKey, range, { Select: 'COUNT', ExclusiveStartKey: start });
      const answer = await send(documents, query);
      count += answer.Count ?? 0;
      start = answer.LastEvaluatedKey;
    } while (start !== undefined);
    return count;
  };
}

function queryOf(
  { tableName, indexName, model }: SweepSettings,
  key: IndexKey,
  range: TtlRange,
  more: Partial<QueryCommandInput>,
): QueryCommandInput {
  return { TableName: tableName, IndexName: indexName, ...keyCondition(model, key, range), ...more };
}

async function send(documents: Documents, request: QueryCommandInput, options: RequestOptions = {}) {
  try {
    return await documents.send(new QueryCommand(request), options);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new DynamoDbBusyError(`Query of ${request.IndexName}: ${error}`, { cause: error });
  }
}

/** The condition of an index query. An index by second has the TTL as its partition key, so its condition is without the range of TTLs. */
export function keyCondition(
  { ttlAttribute, windowAttribute }: ExpiryModel,
  { value }: IndexKey,
  { from, upTo }: TtlRange,
): Partial<QueryCommandInput> {
  if (windowAttribute === undefined) {
    return {
      KeyConditionExpression: '#ttl = :second',
      ExpressionAttributeNames: { '#ttl': ttlAttribute },
      ExpressionAttributeValues: { ':second': value },
    };
  }
  return {
    KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
    ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
    ExpressionAttributeValues: { ':window': value, ':from': from, ':upTo': upTo },
  };
}
