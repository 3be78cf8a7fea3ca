import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb';
import { isWithin } from '../../expiry/ttl.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { type BehindSettings, sweptRange } from '../child/swept-range.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { decode, keyAttributeNames } from '../table/item-key.ts';
import type { SendBatch } from './deletion.ts';
import { type GuardSettings, guardedDelete, isHeld } from './guarded-delete.ts';
import { deletionOf, fatesOf } from './statement-fates.ts';

/**
 * Deletes only items that are expired at the moment of the delete: each statement repeats the condition by which the item was found, with
 * the same cutoff. So an item that was renewed or lost its TTL in the meantime stays.
 *
 * An item with the hold attribute stays, whatever its value. When a delete is refused, the returned item shows whether it is held or
 * renewed.
 */
export function guardedBatch(
  documents: Documents,
  settings: GuardSettings & BehindSettings,
  cutoff: number,
  lagClock: () => number,
  options: RequestOptions = {},
): SendBatch {
  const range = sweptRange(cutoff, settings);
  const names = keyAttributeNames(settings.model);
  const statement = guardedDelete(settings);
  const onRefusal =
    settings.holdAttribute === undefined ? {} : ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const);
  // A renewed item does not count as held, whatever its attributes: no delete is due for it.
  const refusal = (item: Item = {}) =>
    isHeld(settings, item) && isWithin(item[settings.model.ttlAttribute], range) ? 'held' : 'renewed';
  return async keys => {
    const answer = await documents.send(
      new BatchExecuteStatementCommand({
        Statements: keys.map(({ key }) => ({
          Statement: statement,
          Parameters: [...names.map(name => decode(attribute(key, name))), range.upTo, range.after],
          ...onRefusal,
        })),
      }),
      options,
    );
    return deletionOf(fatesOf(keys, answer.Responses ?? [], refusal), lagClock());
  };
}

type Item = Readonly<Record<string, unknown>>;

function attribute(key: ItemKey, name: string) {
  const value = key[name];
  if (value === undefined)
    throw new TypeError(`${name}: expected in every key, got only ${Object.keys(key)}.`);
  return value;
}
