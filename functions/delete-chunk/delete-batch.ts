import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { lagOf } from '../report/lag.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { keyAttributeNames, keyText, toItemKey, toNativeKey } from '../table/item-key.ts';
import type { SendBatch } from './deletion.ts';
import { NO_DELETION } from './deletion.ts';

/**
 * Deletes without checking the TTL again: the fastest way, for tables whose keys are never written again once they have a TTL.
 * BatchWriteItem does not say which items existed, so all processed keys count as deleted.
 */
export function unguardedBatch(
  documents: Documents,
  { tableName, model }: SweepSettings,
  clock: () => number,
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
        DeleteRequest?.Key ? [keyText(toItemKey(DeleteRequest.Key, names), names)] : [],
      ),
    );
    const unprocessed = keys.filter(({ key }) => left.has(keyText(key, names)));
    const deleted = keys.filter(({ key }) => !left.has(keyText(key, names)));
    const lag = lagOf(
      deleted.map(({ ttl }) => ttl),
      clock(),
    );
    // DynamoDB gives no reason for unprocessed keys; its documentation names throttling first.
    const throttled = unprocessed.length;
    return { ...NO_DELETION, deleted: deleted.length, throttled, unprocessed, ...lag };
  };
}
