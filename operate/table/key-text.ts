import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { hashOfKey, hashOfText } from '../../functions/report/shown-keys.ts';
import type { LogKeys } from '../../functions/runtime/environment.ts';
import type { ItemKey, ListedFailure } from '../../statemachine/contract/keys.ts';
import { type DescribedTable, keyNamesOf } from './describe-table.ts';
import type { StoredItem } from './sample.ts';

/** How to print the keys of a table: use it wherever a command shows a key. */
export interface KeyTextOptions {
  readonly tableName: string;
  /** Names of the key attributes, partition key first. */
  readonly keyNames: readonly string[];
  readonly logKeys: LogKeys;
}

/**
 * How a command shows the keys of a table: by the table's own setting, and with `--mask` at most as hashes.
 * @param logKeys from the table's props
 */
export function keysToShow(logKeys: LogKeys, mask: boolean): LogKeys {
  return mask && logKeys === 'full' ? 'hash' : logKeys;
}

/** How to print the keys of a table whose configuration is not known. */
export function tableKeyText(
  table: Pick<DescribedTable, 'name' | 'partitionKey' | 'sortKey'>,
  mask: boolean,
): KeyTextOptions {
  return { tableName: table.name, keyNames: keyNamesOf(table), logKeys: keysToShow('full', mask) };
}

/** Formats a key that was read from the table; undefined if nothing of it may be printed. */
export function keyText(key: ItemKey, { tableName, keyNames, logKeys }: KeyTextOptions): string | undefined {
  if (logKeys === 'none') return undefined;
  return logKeys === 'hash' ? hashOfKey(key, keyNames, tableName) : JSON.stringify(key);
}

/**
 * Formats a key from the report of an execution. The report has a whole key, its beginning or a hash, by the table's `logKeys` at
 * that time.
 */
export function listedKeyText(
  { key, keyStart }: Pick<ListedFailure, 'key' | 'keyStart'>,
  options: KeyTextOptions,
): string | undefined {
  const { tableName, logKeys } = options;
  if (logKeys === 'none') return undefined;
  if (typeof key === 'string') return key;
  if (key !== undefined) return keyText(key, options);
  if (keyStart === undefined) return undefined;
  return logKeys === 'hash' ? hashOfText(keyStart, tableName) : `${keyStart}…`;
}

/** The primary key of an item in DynamoDB's JSON, with bytes in base64. */
export function storedKey(item: StoredItem, keyNames: readonly string[]): ItemKey {
  return Object.fromEntries(keyNames.map(name => [name, inJson(item[name])])) as ItemKey;
}

function inJson(value: AttributeValue | undefined): unknown {
  return value?.B === undefined ? value : { B: Buffer.from(value.B).toString('base64') };
}
