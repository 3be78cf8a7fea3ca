import { BatchExecuteStatementCommand, type BatchExecuteStatementCommandOutput } from '@aws-sdk/lib-dynamodb';
import { expiredRange, isExpired } from '../../expiry/ttl.ts';
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
 *
 * An item with the hold attribute stays, whatever its value. The item that a refused statement answers with tells a held one from
 * one that was renewed.
 */
export function guardedBatch(
  documents: Documents,
  settings: SweepSettings,
  cutoff: number,
  lagClock: () => number,
  options: RequestOptions = {},
): SendBatch {
  const { after, upTo } = expiredRange(cutoff);
  const names = keyAttributeNames(settings.model);
  const statement = guardedDelete(settings, names);
  const onRefusal =
    settings.holdAttribute === undefined ? {} : ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const);
  const isHeld = heldAt(settings, cutoff);
  return async keys => {
    const answer = await documents.send(
      new BatchExecuteStatementCommand({
        Statements: keys.map(({ key }) => ({
          Statement: statement,
          Parameters: [...names.map(name => decode(attribute(key, name))), upTo, after],
          ...onRefusal,
        })),
      }),
      options,
    );
    return sort(keys, answer.Responses ?? [], lagClock(), isHeld);
  };
}

/**
 * `DELETE FROM "t" WHERE "pk" = ? AND "sk" = ? AND "ttl" <= ? AND "ttl" > ? AND "hold" IS MISSING RETURNING ALL OLD *`. An attribute with
 * the value NULL is not missing. Source: DynamoDB Developer Guide, "Use PartiQL functions with DynamoDB", MISSING.
 */
function guardedDelete(
  { tableName, model, holdAttribute }: SweepSettings,
  keyNames: readonly string[],
): string {
  const ttl = quote(model.ttlAttribute);
  const conditions = [
    ...keyNames.map(name => `${quote(name)} = ?`),
    `${ttl} <= ?`,
    `${ttl} > ?`,
    ...(holdAttribute === undefined ? [] : [`${quote(holdAttribute)} IS MISSING`]),
  ];
  return `DELETE FROM ${quote(tableName)} WHERE ${conditions.join(' AND ')} RETURNING ALL OLD *`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

type Item = Readonly<Record<string, unknown>>;

/** What was renewed is not held yet, whatever attributes it has: nothing would delete it now. */
function heldAt({ model, holdAttribute }: SweepSettings, cutoff: number): (item?: Item) => boolean {
  return (item = {}) =>
    holdAttribute !== undefined &&
    Object.hasOwn(item, holdAttribute) &&
    isExpired(item[model.ttlAttribute], cutoff);
}

/** Gives each key its fate. The answers stand in the order of the statements. */
function sort(
  keys: readonly ExpiredKey[],
  answers: NonNullable<BatchExecuteStatementCommandOutput['Responses']>,
  answeredAtMs: number,
  isHeld: (item?: Item) => boolean,
): Deletion {
  const unprocessed: ExpiredKey[] = [];
  const failed: FailedKey[] = [];
  const deleted: number[] = [];
  let renewed = 0;
  let held = 0;
  let notFound = 0;
  let throttled = 0;
  for (const [index, expired] of keys.entries()) {
    const answer = answers[index];
    const code = answer?.Error?.Code;
    if (isThrottling(code)) throttled += 1;
    if (!answer || isBusyStatement(code)) unprocessed.push(expired);
    else if (code === 'ConditionalCheckFailed') {
      if (isHeld(answer.Error?.Item)) held += 1;
      else renewed += 1;
    } else if (answer.Error) failed.push(failedKey(expired, code ?? 'UnknownError'));
    else if (answer.Item) deleted.push(expired.ttl);
    else notFound += 1;
  }
  return {
    deleted: deleted.length,
    renewed,
    held,
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
