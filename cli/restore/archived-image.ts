import { gunzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isObject } from '../../expiry/fields.ts';
import type { KeyNames } from '../../expiry/shard.ts';
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
  /** When it was removed, or copied. */
  readonly archivedAt: string;
  readonly item: Readonly<Record<string, unknown>>;
}

/** Most that an object unpacks to, bytes. A batch of the stream has 6 MB. */
const MAX_OBJECT_BYTES = 256 * 1024 * 1024;

/** The lines of an object. @throws {ArchivedLineError} for one that is damaged */
export function linesOf(body: Uint8Array, where: string): string[] {
  let text: string;
  try {
    text = gunzipSync(body, { maxOutputLength: MAX_OBJECT_BYTES }).toString();
  } catch (error) {
    throw new ArchivedLineError(
      `${where}: expected gzip, got something else (${(error as Error).message}); take another version of the object, or move it elsewhere and run the command again`,
    );
  }
  return text.split('\n').filter(line => line !== '');
}

/**
 * Reads a line of an archive.
 *
 * @param where the object that it stands in, for the message
 * @throws {ArchivedLineError} for a line that is none, and for one of a plain archive
 */
export function readImage(line: string, names: KeyNames, where: string): ArchivedImage {
  const value = parsed(line, where);
  const { key, item, expiredAt, deletedAt, copiedAt } = value;
  const archivedAt = deletedAt ?? copiedAt;
  if (!isObject(key) || !isObject(item) || typeof archivedAt !== 'string')
    throw new ArchivedLineError(
      `${where}: expected lines with key, item and deletedAt, got one with ${Object.keys(value)}; is this an archive of precise-ttl?`,
    );
  if (!Object.values(key).every(isObject))
    throw new ArchivedLineError(
      `${where}: expected items in DynamoDB JSON, got plain ones, whose types nobody can tell any more; only an archive with format 'dynamodb-json' can be restored`,
    );
  const id = keyId(key, names);
  if (id === undefined)
    throw new ArchivedLineError(
      `${where}: expected keys of ${[names.partitionKey, names.sortKey].filter(Boolean).join(' and ')}, got one of ${Object.keys(key)}; is this the archive of the table?`,
    );
  return {
    id,
    key: key as ItemKey,
    expiredAt: typeof expiredAt === 'string' ? expiredAt : archivedAt,
    archivedAt,
    item,
  };
}

function parsed(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
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
