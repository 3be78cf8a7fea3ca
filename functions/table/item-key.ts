import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { EventImage } from '../../expiry/expiry-event.ts';
import type { KeyNames } from '../../expiry/shard.ts';
import type { ItemKey, KeyAttribute } from '../../statemachine/contract/keys.ts';

/** Numbers in an ItemKey are strings: DynamoDB's numbers have up to 38 digits, and a JavaScript number keeps about 15. Bytes are base64. */

export type NativeKeyValue = string | NumberValue | Uint8Array;

export type NativeKey = Record<string, NativeKeyValue>;

export function toItemKey(item: Record<string, unknown>, names: readonly string[]): ItemKey {
  return Object.fromEntries(names.map(name => [name, encode(name, item[name])]));
}

export function keyAttributeNames({ partitionKey, sortKey }: KeyNames): string[] {
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}

export function toNativeKey(key: ItemKey): NativeKey {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, decode(value)]));
}

function decode(value: KeyAttribute): NativeKeyValue {
  if ('S' in value) return value.S;
  if ('N' in value) return NumberValue.from(value.N);
  return Buffer.from(value.B, 'base64');
}

export function keyText(of: ItemKey | EventImage, names: readonly string[]): string {
  return JSON.stringify(names.map(name => of[name]));
}

function encode(name: string, value: unknown): KeyAttribute {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { N: String(value) };
  if (value instanceof NumberValue) return { N: value.value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  throw new TypeError(`${name}: expected a key attribute of type S, N or B, got ${typeof value}.`);
}
