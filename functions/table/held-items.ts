import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import { keyAttributeNames, keyText, toItemKey, toNativeKey } from './item-key.ts';

/** Most keys of a BatchGetItem. Source: DynamoDB API reference. */
export const MAX_READ = 100;

/** Returns those index entries whose items are known to be held. */
export type ReadHeld = (entries: readonly ExpiredKey[]) => Promise<ReadonlySet<ExpiredKey>>;

/**
 * Makes a function that finds the held items. It reads the items themselves, since the index has only their keys. Undefined for a table
 * without a hold attribute.
 *
 * If DynamoDB is too busy, items without an answer count as not held.
 *
 * @throws DynamoDB's own error when it is not busy
 */
export function heldReader(
  documents: Documents,
  { tableName, model, holdAttribute }: Pick<SweepSettings, 'tableName' | 'model' | 'holdAttribute'>,
  options: RequestOptions = {},
): ReadHeld | undefined {
  if (holdAttribute === undefined) return undefined;
  const keyNames = keyAttributeNames(model);
  const attributes = [...keyNames, holdAttribute].map((name, index) => [`#${index}`, name] as const);
  const textOf = (key: ItemKey) => keyText(key, keyNames);
  const readBatch = async (entries: readonly ExpiredKey[]): Promise<ExpiredKey[]> => {
    // While the index lags, an item with a changed TTL can have two entries, and DynamoDB refuses duplicate keys.
    const keys = new Map(entries.map(({ key }) => [textOf(key), key]));
    const request = {
      Keys: [...keys.values()].map(toNativeKey),
      ProjectionExpression: attributes.map(([alias]) => alias).join(', '),
      ExpressionAttributeNames: Object.fromEntries(attributes),
      // Items that were released before the sweep began are deleted by it.
      ConsistentRead: true,
    };
    try {
      const answer = await documents.send(
        new BatchGetCommand({ RequestItems: { [tableName]: request } }),
        options,
      );
      const items = (answer.Responses?.[tableName] ?? []).filter(item => Object.hasOwn(item, holdAttribute));
      const held = new Set(items.map(item => textOf(toItemKey(item, keyNames))));
      return entries.filter(({ key }) => held.has(textOf(key)));
    } catch (error) {
      if (!isBusy(error)) throw error;
      return [];
    }
  };
  return async entries => {
    const batches = Array.from({ length: Math.ceil(entries.length / MAX_READ) }, (_unused, index) =>
      entries.slice(index * MAX_READ, (index + 1) * MAX_READ),
    );
    return new Set((await Promise.all(batches.map(readBatch))).flat());
  };
}
