import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from './dynamodb.ts';
import { isBusy } from './dynamodb-errors.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from './item-key.ts';

/** Keys of a BatchGetItem. Source: DynamoDB API reference. */
export const MOST_READ = 100;

/** Which of at most {@link MOST_READ} index entries are known to be of items that are held. */
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
  const textOf = (key: ItemKey) => JSON.stringify(keyNames.map(name => key[name]));
  return async entries => {
    const request = {
      Keys: entries.map(({ key }) => toNativeKey(key)),
      ProjectionExpression: attributes.map(([alias]) => alias).join(', '),
      ExpressionAttributeNames: Object.fromEntries(attributes),
      // What was released before the sweep began goes with this sweep.
      ConsistentRead: true,
    };
    try {
      const answer = await documents.send(
        new BatchGetCommand({ RequestItems: { [tableName]: request } }),
        options,
      );
      const held = (answer.Responses?.[tableName] ?? []).filter(item => Object.hasOwn(item, holdAttribute));
      const keys = new Set(held.map(item => textOf(toItemKey(item, keyNames))));
      return new Set(entries.filter(({ key }) => keys.has(textOf(key))));
    } catch (error) {
      if (!isBusy(error)) throw error;
      return new Set();
    }
  };
}
