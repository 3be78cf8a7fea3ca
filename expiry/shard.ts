import { isAttributeValue } from './attribute-value.ts';
import { InvalidKeyError } from './errors.ts';
import { type ItemLike, isItem } from './item.ts';
import { plainDecimal } from './plain-decimal.ts';
import { utf8 } from './utf8.ts';

export interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey?: string;
}

/**
 * The shard (0 … shards-1) of a window for an item: a hash of its primary key, so that every writer puts the same item into the same
 * shard. The sweep reads all shards, so another choice would lose no item.
 *
 * The hash is CRC-32 over `S:…`, `N:…` or `B:…` (B in base64) of the partition key and, if there is one, the sort key, each followed by a
 * zero byte, taken modulo the number of shards. A number is written in plain digits. docs/use.md is the specification for writers in other
 * languages.
 *
 * @param key the primary key by attribute name; other attributes are ignored, so a whole item can be passed
 * @throws InvalidKeyError when a key attribute is missing or is not a string, number or bytes
 */
export function shardOf<Key extends ItemLike>(key: Key, names: KeyNames, shards: number): number {
  if (!isItem(key)) {
    throw new InvalidKeyError({
      field: 'key',
      expected: `an object with ${names.partitionKey}`,
      got: key,
      remedy: 'Pass the primary key of one item, or the item.',
    });
  }
  const values = key as Readonly<Record<string, unknown>>;
  const parts = [names.partitionKey, ...(names.sortKey === undefined ? [] : [names.sortKey])].map(name =>
    canonical(name, values[name]),
  );
  if (shards === 1) return 0; // the key is checked first: a malformed key is an error with any number of shards
  return crc32(utf8(parts.map(part => `${part}\0`).join(''))) % shards;
}

/** The CRC-32 of zlib, gzip and PNG (RFC 1952). */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ ((crc & 1) * 0xedb88320);
  }
  return ~crc >>> 0;
}

function canonical(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return `S:${value}`;
  if (value instanceof Uint8Array && value.length > 0) return `B:${base64(value)}`;
  const number = numberText(value);
  if (number !== undefined) return `N:${number}`;
  throw new InvalidKeyError({
    field: name,
    expected: 'the value of a key attribute: a non-empty string, a finite number or non-empty bytes',
    got: value,
    remedy: isAttributeValue(value)
      ? "Pass the key as the document client takes it: this is the low-level client's form."
      : 'Pass the whole primary key of the item that is written.',
  });
}

function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return plainDecimal(String(value));
  return isNumberValue(value) ? plainDecimal(value.value) : undefined;
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

function isNumberValue(value: unknown): value is { readonly value: string } {
  return typeof value === 'object' && value !== null && 'value' in value && typeof value.value === 'string';
}
