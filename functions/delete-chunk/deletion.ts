import {
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandOutput,
  BatchWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import type { DeletionLag } from '../../statemachine/contract/chunks.ts';
import type { ExpiredKey, FailedKey } from '../../statemachine/contract/keys.ts';
import { addCounts, CALL_COUNTS, type Counts, noCounts } from '../../statemachine/counts.ts';
import { sweptRange } from '../child/plan-chunks.ts';
import { addLags, lagOf, NO_LAG } from '../report/lag.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { isBusy, isBusyStatement, isInvalid, isThrottling } from '../table/dynamodb-errors.ts';
import { keyAttributeNames, keyText, toItemKey, toNativeKey } from '../table/item-key.ts';

export interface Deletion extends Counts<'call'>, DeletionLag {
  readonly unprocessed: readonly ExpiredKey[];
  readonly failed: readonly FailedKey[];
}

export type SendBatch = (keys: readonly ExpiredKey[]) => Promise<Deletion>;

export const NO_DELETION: Deletion = {
  ...noCounts(CALL_COUNTS),
  unprocessed: [],
  failed: [],
  ...NO_LAG,
};

/** @throws DynamoDB's errors that no retry can solve, such as a missing permission */
export async function deleteKeys(keys: readonly ExpiredKey[], send: SendBatch): Promise<Deletion> {
  if (keys.length === 0) return NO_DELETION;
  try {
    return await send(keys);
  } catch (error) {
    if (isBusy(error)) {
      return { ...NO_DELETION, throttled: isThrottling(error) ? keys.length : 0, unprocessed: keys };
    }
    if (!isInvalid(error)) throw error;
    if (keys.length === 1)
      return { ...NO_DELETION, failed: keys.map(({ key }) => ({ key, reason: 'ValidationError' })) };
    // DynamoDB refuses a whole batch for one invalid key. Each half is sent again: in the end only the invalid key fails.
    const middle = Math.ceil(keys.length / 2);
    return addDeletions(
      await deleteKeys(keys.slice(0, middle), send),
      await deleteKeys(keys.slice(middle), send),
    );
  }
}

function addDeletions(one: Deletion, other: Deletion): Deletion {
  return {
    ...addCounts(CALL_COUNTS, one, other),
    unprocessed: [...one.unprocessed, ...other.unprocessed],
    failed: [...one.failed, ...other.failed],
    ...addLags(one, other),
  };
}

/** Makes a SendBatch that deletes an item only if its stored TTL is expired: a writer may have renewed it since the index was read. */
export function guardedBatch(
  documents: Documents,
  settings: GuardSettings & Pick<SweepSettings, 'marginSeconds'>,
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
        Statements: keys.map(({ key }) => {
          const values = toNativeKey(key);
          return {
            Statement: statement,
            Parameters: [...names.map(name => values[name]), range.upTo, range.after],
          };
        }),
      }),
      options,
    );
    return deletionOf(keys, answer.Responses ?? [], clock());
  };
}

type GuardSettings = Pick<SweepSettings, 'tableName' | 'model'>;

/** Returns a PartiQL statement, e.g. `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? RETURNING ALL OLD *`. */
export function guardedDelete({ tableName, model }: GuardSettings): string {
  const ttl = quote(model.ttlAttribute);
  const conditions = [
    ...keyAttributeNames(model).map(name => `${quote(name)} = ?`),
    `${ttl} <= ?`,
    `${ttl} > ?`,
  ];
  return `DELETE FROM ${quote(tableName)} WHERE ${conditions.join(' AND ')} RETURNING ALL OLD *`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Sums up the answers, which are in the order of `keys`. An answer without `Error` and `Item`: the table had no such item. */
function deletionOf(
  keys: readonly ExpiredKey[],
  answers: NonNullable<BatchExecuteStatementCommandOutput['Responses']>,
  answeredAtMs: number,
): Deletion {
  const unprocessed: ExpiredKey[] = [];
  const failed: FailedKey[] = [];
  const deleted: number[] = [];
  const counts = { renewed: 0, notFound: 0, throttled: 0 };
  for (const [index, expired] of keys.entries()) {
    const answer = answers[index];
    const code = answer?.Error?.Code;
    if (isThrottling(code)) counts.throttled += 1;
    if (answer === undefined || isBusyStatement(code)) unprocessed.push(expired);
    else if (code === 'ConditionalCheckFailed') counts.renewed += 1;
    else if (answer.Error) failed.push({ key: expired.key, reason: code ?? 'UnknownError' });
    else if (answer.Item) deleted.push(expired.ttl);
    else counts.notFound += 1;
  }
  return { deleted: deleted.length, ...counts, unprocessed, failed, ...lagOf(deleted, answeredAtMs) };
}

/** Makes a SendBatch that deletes renewed items, too. BatchWriteItem hides which items existed: all processed keys count as deleted. */
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
    // Unprocessed keys count as throttled: DynamoDB gives no reason, but its documentation names throttling as the most likely one.
    const throttled = unprocessed.length;
    return { ...NO_DELETION, deleted: deleted.length, throttled, unprocessed, ...lag };
  };
}
