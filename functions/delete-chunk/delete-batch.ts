import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../../statemachine/contract.ts';
import { lagOf } from '../report/lag.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from '../table/item-key.ts';
import type { SendBatch } from './deletion.ts';
import { NO_DELETION } from './deletion.ts';

/**
 * Deletes without checking the TTL again: the fastest way, for tables whose keys are never written again
 * once they have a TTL. BatchWriteItem does not
 * say which items were there, so everything it processed counts as deleted.
 */
export function unguardedBatch(
  documents: Documents,
  { tableName, model }: SweepSettings,
  lagClock: () => number,
  options: RequestOptions = {},
): SendBatch {
  const names = keyAttributeNames(model);
  return async keys => {
    const answer = await documents.send(
      new BatchWriteCommand({
        RequestItems: { [tableName]: keys.map(({ key }) => ({ DeleteRequest: { Key: toNativeKey(key) } })) },
      }),
      options,
    );
    const left = new Set(
      (answer.UnprocessedItems?.[tableName] ?? []).flatMap(({ DeleteRequest }) =>
        DeleteRequest?.Key ? [textOf(toItemKey(DeleteRequest.Key, names), names)] : [],
      ),
    );
    const unprocessed = keys.filter(({ key }) => left.has(textOf(key, names)));
    const deleted = keys.filter(({ key }) => !left.has(textOf(key, names)));
    const lag = lagOf(
      deleted.map(({ ttl }) => ttl),
      lagClock(),
    );
    // DynamoDB does not say why it left them; its documents name throttling first.
    const throttled = unprocessed.length;
    return { ...NO_DELETION, deleted: deleted.length, throttled, unprocessed, ...lag };
  };
}

/** A key as text that is the same for the same key, whatever the order of its attributes. */
function textOf(key: ItemKey, names: readonly string[]): string {
  return JSON.stringify(names.map(name => key[name]));
}
