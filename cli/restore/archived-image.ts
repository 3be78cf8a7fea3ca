import { gunzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isObject } from '../../expiry/fields.ts';
import type { KeyNames } from '../../expiry/shard.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract.ts';
import { ArchivedLineError } from './errors.ts';
import { keyId } from './wanted-keys.ts';

/** An item as an archive has it. */
export interface ArchivedImage {
  /** As `WantedKeys` has it. */
  readonly id: string;
  readonly key: ItemKey;
  /** Of its TTL, or of its removal where it had none: ISO, so that a later one is a greater text. */
  readonly expiredAt: string;
  /** When it was removed; undefined for a copy that archiveFirst made before the deletion. */
  readonly deletedAt: string | undefined;
  readonly item: Readonly<Record<string, unknown>>;
}

/** Most that an object unpacks to, bytes. A batch of the stream has 6 MB. */
const MAX_OBJECT_BYTES = 256 * 1024 * 1024;

/** A line of an object. */
export interface ArchivedLine {
  readonly text: string;
  /** The object and the line's number, for messages. */
  readonly where: string;
}

/** The lines of an object. @throws {ArchivedLineError} for one that is damaged */
export function linesOf(body: Uint8Array, where: string): ArchivedLine[] {
  let text: string;
  try {
    text = gunzipSync(body, { maxOutputLength: MAX_OBJECT_BYTES }).toString();
  } catch (error) {
    throw new ArchivedLineError(
      `${where}: expected gzip, got something else (${(error as Error).message}); take another version of the object`,
    );
  }
  const lines = text.split('\n').map((line, index) => ({ text: line, where: `${where}, line ${index + 1}` }));
  return lines.filter(line => line.text !== '');
}

/** That the item of a copy was not deleted. */
export interface KeptMark {
  readonly id: string;
  readonly expiredAt: string;
  /** Key of the object that the copy stands in; undefined: any. */
  readonly copy: string | undefined;
}

/**
 * Reads a line of an archive, or a copy of archiveFirst's.
 *
 * @throws {ArchivedLineError} for a line that is none, and for one of a plain archive
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

/** Reads a mark of archiveFirst's. @throws {ArchivedLineError} */
export function readMark(line: ArchivedLine, names: KeyNames): KeptMark {
  const { id, expiredAt, copy } = fieldsOf(line, names);
  return { id, expiredAt: expiredAt ?? '', copy };
}

function fieldsOf(line: ArchivedLine, names: KeyNames) {
  const { where } = line;
  const { key, item, expiredAt, deletedAt, copy } = parsed(line);
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

function parsed({ text, where }: ArchivedLine): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, as for JSON that is no object.
  }
  throw new ArchivedLineError(
    `${where}: expected a JSON object on each line, got another text; take another version of the object`,
  );
}

/**
 * An archived item as the low-level client takes it: bytes, which JSON has in base64, are bytes again.
 *
 * @throws {ArchivedLineError} for what is no DynamoDB JSON
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
