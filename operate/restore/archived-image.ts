import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isObject } from '../../expiry/fields.ts';
import type { KeyNames } from '../../expiry/shard.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { type ArchivedLine, parsedLine } from '../archive/archived-lines.ts';
import { ArchivedLineError } from '../errors.ts';
import { keyId } from './wanted-keys.ts';

/** An archived item. */
export interface ArchivedImage {
  /** The key's id, as in `WantedKeys`. */
  readonly id: string;
  readonly key: ItemKey;
  /** Expiry by the TTL, or time of removal for an item without one. ISO-8601, so that later times compare as greater. */
  readonly expiredAt: string;
  /** Time of removal; undefined for a copy that archiveFirst wrote before the deletion. */
  readonly deletedAt: string | undefined;
  readonly item: Readonly<Record<string, unknown>>;
}

/** A mark that the item of a copy was not deleted. */
export interface KeptMark {
  readonly id: string;
  readonly expiredAt: string;
  /** Key of the object with the copy; undefined: any object. */
  readonly copy: string | undefined;
}

/**
 * Reads a line of an archive, or a copy that archiveFirst wrote.
 *
 * @throws {ArchivedLineError} for an invalid line, and for a line in the `json` format
 */
export function readImage(line: ArchivedLine, names: KeyNames): ArchivedImage {
  const { where } = line;
  const { id, key, item, expiredAt, deletedAt } = fieldsOf(line, names);
  const time = expiredAt ?? deletedAt;
  if (!isObject(item) || time === undefined)
    throw new ArchivedLineError(
      `${where}: expected lines with an item and its time, got one without; is this an archive of precise-ttl?`,
    );
  return { id, key, expiredAt: time, deletedAt, item };
}

/** Reads a mark that archiveFirst wrote. @throws {ArchivedLineError} */
export function readMark(line: ArchivedLine, names: KeyNames): KeptMark {
  const { id, expiredAt, copy } = fieldsOf(line, names);
  return { id, expiredAt: expiredAt ?? '', copy };
}

function fieldsOf(line: ArchivedLine, names: KeyNames) {
  const { where } = line;
  const { key, item, expiredAt, deletedAt, copy } = parsedLine(line);
  if (!isObject(key))
    throw new ArchivedLineError(
      `${where}: expected lines with a key, got one without; is this an archive of precise-ttl?`,
    );
  if (!Object.values(key).every(isObject))
    throw new ArchivedLineError(
      `${where}: expected items in DynamoDB JSON, got plain ones, whose types nobody can tell any more; only an archive with format 'dynamodb-json' can be restored`,
    );
  const id = keyId(key, names);
  if (id === undefined)
    throw new ArchivedLineError(
      `${where}: expected keys of ${keyAttributeNames(names).join(' and ')}, got one of ${Object.keys(key).join(' and ')}; is this the archive of the table?`,
    );
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    ...{ id, key: key as ItemKey, item },
    ...{ expiredAt: text(expiredAt), deletedAt: text(deletedAt), copy: text(copy) },
  };
}

/**
 * Converts an archived item for the low-level client: base64 in JSON becomes bytes.
 *
 * @throws {ArchivedLineError} if it is not DynamoDB JSON
 */
export function toAttributes(
  item: Readonly<Record<string, unknown>>,
  where: string,
): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toAttribute(value, where)]));
}

function toAttribute(value: unknown, where: string): AttributeValue {
  const [[type, content] = [], ...others] = isObject(value) ? Object.entries(value) : [];
  if (type !== undefined && others.length === 0) {
    if (type === 'B' && typeof content === 'string') return { B: Buffer.from(content, 'base64') };
    if (type === 'BS' && Array.isArray(content))
      return { BS: content.map(bytes => Buffer.from(String(bytes), 'base64')) };
    if (type === 'L' && Array.isArray(content)) return { L: content.map(each => toAttribute(each, where)) };
    if (type === 'M' && isObject(content)) return { M: toAttributes(content, where) };
    if (['S', 'N', 'SS', 'NS', 'BOOL', 'NULL'].includes(type))
      return { [type]: content } as unknown as AttributeValue;
  }
  throw new ArchivedLineError(
    `${where}: expected values in DynamoDB JSON, got one with ${isObject(value) ? Object.keys(value) : typeof value}; write this item back by hand`,
  );
}
