import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { WindowModel } from '../../expiry/model.ts';
import type { Documents } from '../table/dynamodb.ts';
import { isBusy, isInvalid } from '../table/dynamodb-errors.ts';
import { keyAttributeNames } from '../table/item-key.ts';
import type { ScannedItem } from './stored-window.ts';

/** The outcome of one write of a window. */
export type WriteOutcome = 'stamped' | 'changedMeanwhile' | 'busy' | 'failed';

/** Writes the window of an item. */
export type WriteWindow = (item: ScannedItem, window: string) => Promise<WriteOutcome>;

/**
 * Makes a function that writes the window of an item, on condition that the item exists and still has the TTL that was read: a writer that
 * renewed it, removed its TTL or deleted it in the meantime wins.
 *
 * @param onFailed called with each item that DynamoDB refuses to write
 * @throws DynamoDB's error when no item of the table can be written (no access, no such table)
 */
export function windowWriter(
  documents: Documents,
  { tableName, model }: { readonly tableName: string; readonly model: WindowModel },
  onFailed: (item: ScannedItem, error: unknown) => void,
): WriteWindow {
  const names = keyAttributeNames(model);
  const { partitionKey, ttlAttribute, windowAttribute } = model;
  return async (item, window) => {
    const update = new UpdateCommand({
      TableName: tableName,
      Key: Object.fromEntries(names.map(name => [name, item[name]])),
      UpdateExpression: 'SET #window = :window',
      ConditionExpression: 'attribute_exists(#partitionKey) AND #ttl = :ttl',
      ExpressionAttributeNames: {
        '#window': windowAttribute,
        '#partitionKey': partitionKey,
        '#ttl': ttlAttribute,
      },
      ExpressionAttributeValues: { ':window': window, ':ttl': item[ttlAttribute] },
    });
    try {
      await documents.send(update);
      return 'stamped';
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException')
        return 'changedMeanwhile';
      if (isBusy(error)) return 'busy';
      if (!isInvalid(error)) throw error;
      onFailed(item, error);
      return 'failed';
    }
  };
}
