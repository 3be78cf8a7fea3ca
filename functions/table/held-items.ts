import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import { keyAttributeNames, keyText, toItemKey, toNativeKey } from './item-key.ts';

/** Keys of a BatchGetItem. Source: DynamoDB API reference. */
export const MAX_READ = 100;

/** Which of some index entries are known to be of items that are held. */
export type ReadHeld = (entries: readonly ExpiredKey[]) => Promise<ReadonlySet<ExpiredKey>>;

/**
 * Looks at the items themselves, since the index has their keys only. Undefined for a table without a hold attribute.
 *
 * What a busy DynamoDB does not answer for is not known to be held: whoever asks goes on as if it were not.
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
    // While the index catches up, an item that got another TTL can be there with both, and DynamoDB refuses a key twice.
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
