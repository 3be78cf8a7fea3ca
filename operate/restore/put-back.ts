import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { expiryAttributes } from '../../expiry/attributes.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { toNativeKey } from '../../functions/table/item-key.ts';
import { permitted } from '../aws/errors.ts';
import type { Fate } from '../changes.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import type { FoundImage } from './find-images.ts';

/**
 * Writes an item unless one with its key exists, whether expired or not, older or newer.
 *
 * @throws {MissingPermissionError}, and every other error that would fail for all items
 */
export async function putBack(
  client: DynamoDBClient,
  { name, arn, partitionKey }: Pick<DescribedTable, 'name' | 'arn' | 'partitionKey'>,
  Item: Record<string, AttributeValue>,
): Promise<Fate> {
  try {
    await permitted('dynamodb:PutItem', arn, () =>
      client.send(
        new PutItemCommand({
          TableName: name,
          Item,
          ConditionExpression: 'attribute_not_exists(#pk)',
          ExpressionAttributeNames: { '#pk': partitionKey.name },
        }),
      ),
    );
    return { fate: 'restored' };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { fate: 'thereAlready' };
    // The error is about this item only: its new window makes it too large, or its key does not fit an index any more.
    if (error instanceof Error && error.name === 'ValidationException')
      return { fate: 'failed', reason: error.name };
    throw error;
  }
}

/** New expiry of a restored item, epoch seconds; undefined: it does not expire. */
export type NewExpiry = number | undefined;

/**
 * The item to write: the archived one, with the new expiry and window in place of the old ones.
 *
 * @param nowMs epoch milliseconds
 */
export function newItem(
  { key, attributes }: FoundImage,
  model: ExpiryModel,
  expiresAt: NewExpiry,
  nowMs: number,
): Record<string, AttributeValue> {
  const { ttlAttribute, windowAttribute } = model;
  const kept = Object.entries(attributes).filter(
    ([name]) => name !== ttlAttribute && name !== windowAttribute,
  );
  const options = expiresAt === undefined ? { ttlSeconds: 0 } : { expiresAt };
  const stamped = Object.entries(expiryAttributes(model, toNativeKey(key), { ...options, nowMs })).map(
    ([name, value]) => [name, typeof value === 'number' ? { N: String(value) } : { S: value }] as const,
  );
  return Object.fromEntries([...kept, ...stamped]);
}
