import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../../statemachine/contract.ts';
import type { SendBatch } from './deletion.ts';
import { NO_DELETION } from './deletion.ts';
import type { Documents } from './dynamodb.ts';
import type { SweepSettings } from './environment.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from './item-key.ts';

/**
 * Deletes without looking again: the fastest way, for tables whose TTL is never extended. BatchWriteItem does not
 * say which items were there, so everything it processed counts as deleted.
 */
export function unguardedBatch(documents: Documents, { tableName, model }: SweepSettings): SendBatch {
  const names = keyAttributeNames(model);
  return async keys => {
    const answer = await documents.send(
      new BatchWriteCommand({
        RequestItems: { [tableName]: keys.map(key => ({ DeleteRequest: { Key: toNativeKey(key) } })) },
      }),
    );
    const unprocessed = (answer.UnprocessedItems?.[tableName] ?? []).flatMap(
      ({ DeleteRequest }): ItemKey[] => (DeleteRequest?.Key ? [toItemKey(DeleteRequest.Key, names)] : []),
    );
    return { ...NO_DELETION, deleted: keys.length - unprocessed.length, unprocessed };
  };
}
