import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { type BehindSettings, sweptRange } from '../child/swept-range.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { decode, keyAttributeNames } from '../table/item-key.ts';
import type { SendBatch } from './deletion.ts';
import { type GuardSettings, guardedDelete } from './guarded-delete.ts';
import { deletionOf, fatesOf } from './statement-fates.ts';

/**
 * Deletes only items that are expired at the moment of the delete: each statement repeats the condition by which the item was found, with
 * the same cutoff. So an item that was renewed or lost its TTL in the meantime stays.
 */
export function guardedBatch(
  documents: Documents,
  settings: GuardSettings & BehindSettings,
  cutoff: number,
  clock: () => number,
  options: RequestOptions = {},
): SendBatch {
  const range = sweptRange(cutoff, settings);
  const names = keyAttributeNames(settings.model);
  const statement = guardedDelete(settings);
  return async keys => {
    const answer = await documents.send(
      new BatchExecuteStatementCommand({
        Statements: keys.map(({ key }) => ({
          Statement: statement,
          Parameters: [...names.map(name => decode(attribute(key, name))), range.upTo, range.after],
        })),
      }),
      options,
    );
    return deletionOf(fatesOf(keys, answer.Responses ?? []), clock());
  };
}

function attribute(key: ItemKey, name: string) {
  const value = key[name];
  if (value === undefined)
    throw new TypeError(`${name}: expected in every key, got only ${Object.keys(key)}.`);
  return value;
}
