import { InvalidKeyError } from './errors.ts';
import { type ItemLike, isAttributeValue, isItem } from './item.ts';

export interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey?: string;
}

/**
 * The shard of an item, from 0 to `shards` - 1: a hash of the primary key, so every writer puts an item into the same shard. docs/use.md is
 * the specification for writers in other languages.
 * @param key the primary key by attribute name, or the whole item
 * @throws InvalidKeyError if `key` is neither, or if a key attribute is missing, empty, or no string, number or bytes
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

/** The text in UTF-8. TextEncoder is not used, because it is missing in older versions of jsdom, in which users test front ends. */
export function utf8(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).match(/%..|./g) ?? [];
  return Uint8Array.from(escaped, part =>
    part.startsWith('%') ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0),
  );
}

const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

/** Writes a number without exponent, as DynamoDB does: JavaScript would write `1e+21`. @returns undefined if `text` is no number */
export function plainDecimal(text: string): string | undefined {
  const [matched, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  if (matched === undefined || digits === '') return undefined;
  const point = whole.length + Number(exponent);
  const padded = '0'.repeat(Math.max(0, -point)) + digits.padEnd(point, '0');
  const units = padded.slice(0, Math.max(0, point)).replace(/^0+/, '') || '0';
  const rest = padded.slice(Math.max(0, point)).replace(/0+$/, '');
  const plain = rest === '' ? units : `${units}.${rest}`;
  return sign === '-' && plain !== '0' ? `-${plain}` : plain;
}
