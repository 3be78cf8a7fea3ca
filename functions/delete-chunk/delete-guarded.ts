import { BatchExecuteStatementCommand, type BatchExecuteStatementCommandOutput } from '@aws-sdk/lib-dynamodb';
import { expiredRange } from '../../expiry/ttl.ts';
import type { ExpiredKey, FailedKey, ItemKey } from '../../statemachine/contract.ts';
import { lagOf } from '../report/lag.ts';
import { failedKey } from '../report/listed-keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { Documents, RequestOptions } from '../table/dynamodb.ts';
import { isBusyStatement, isThrottling } from '../table/dynamodb-errors.ts';
import { decode, keyAttributeNames } from '../table/item-key.ts';
import type { Deletion, SendBatch } from './deletion.ts';

/**
 * Deletes only what is expired at the moment of the delete: each statement repeats the rule of `isExpired` with the
 * sweep's own cutoff, so an item that was renewed, or lost its TTL, after it was found stays.
 *
 * `RETURNING ALL OLD *` is what tells an item that this call deleted from one that was gone before.
 */
export function guardedBatch(
  documents: Documents,
  settings: SweepSettings,
  cutoff: number,
  clock: () => number,
  options: RequestOptions = {},
): SendBatch {
  const { after, upTo } = expiredRange(cutoff);
  const names = keyAttributeNames(settings.model);
  const statement = guardedDelete(settings, names);
  return async keys => {
    const answer = await documents.send(
      new BatchExecuteStatementCommand({
        Statements: keys.map(({ key }) => ({
          Statement: statement,
          Parameters: [...names.map(name => decode(attribute(key, name))), upTo, after],
        })),
      }),
      options,
    );
    return sort(keys, answer.Responses ?? [], clock());
  };
}

/** `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? RETURNING ALL OLD *` */
function guardedDelete({ tableName, model }: SweepSettings, keyNames: readonly string[]): string {
  const ttl = quote(model.ttlAttribute);
  const conditions = [...keyNames.map(name => `${quote(name)} = ?`), `${ttl} <= ?`, `${ttl} > ?`];
  return `DELETE FROM ${quote(tableName)} WHERE ${conditions.join(' AND ')} RETURNING ALL OLD *`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Gives each key its fate. The answers stand in the order of the statements. */
function sort(
  keys: readonly ExpiredKey[],
  answers: NonNullable<BatchExecuteStatementCommandOutput['Responses']>,
  answeredAtMs: number,
): Deletion {
  const unprocessed: ExpiredKey[] = [];
  const failed: FailedKey[] = [];
  const deleted: number[] = [];
  let renewed = 0;
  let notFound = 0;
  let throttled = 0;
  for (const [index, expired] of keys.entries()) {
    const answer = answers[index];
    const code = answer?.Error?.Code;
    if (isThrottling(code)) throttled += 1;
    if (!answer || isBusyStatement(code)) unprocessed.push(expired);
    else if (code === 'ConditionalCheckFailed') renewed += 1;
    else if (answer.Error) failed.push(failedKey(expired, code ?? 'UnknownError'));
    else if (answer.Item) deleted.push(expired.ttl);
    else notFound += 1;
  }
  return {
    deleted: deleted.length,
    renewed,
    notFound,
    throttled,
    unprocessed,
    failed,
    ...lagOf(deleted, answeredAtMs),
  };
}

function attribute(key: ItemKey, name: string) {
  const value = key[name];
  if (value === undefined)
    throw new TypeError(`${name}: expected in every key, got only ${Object.keys(key)}.`);
  return value;
}
