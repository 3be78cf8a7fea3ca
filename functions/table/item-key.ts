import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { KeyNames } from '../../expiry/shard.ts';
import type { ItemKey, KeyAttribute } from '../../statemachine/contract/keys.ts';
import type { ItemImage } from '../stream/event.ts';

/**
 * Keys travel between states as JSON. Numbers stay strings on the way, since a DynamoDB number has 38 digits and a
 * double 15; bytes become base64.
 */

/** A native value as the document client takes and (with wrapped numbers) gives it. */
export type NativeKeyValue = string | NumberValue | Uint8Array;

export type NativeKey = Record<string, NativeKeyValue>;

/** The key attributes of an item that the document client read with wrapped numbers. */
export function toItemKey(item: Record<string, unknown>, names: readonly string[]): ItemKey {
  return Object.fromEntries(names.map(name => [name, encode(name, item[name])]));
}

/** The names of a table's key attributes, partition key first. */
export function keyAttributeNames({ partitionKey, sortKey }: KeyNames): string[] {
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}

/** The key as the document client takes it. */
export function toNativeKey(key: ItemKey): NativeKey {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, decode(value)]));
}

/** One attribute as the document client takes it. */
export function decode(value: KeyAttribute): NativeKeyValue {
  if ('S' in value) return value.S;
  if ('N' in value) return NumberValue.from(value.N);
  return Buffer.from(value.B, 'base64');
}

/** The key of an item, or a key, as text that is the same for the same key, whatever the order of its attributes. */
export function keyText(of: ItemKey | ItemImage, names: readonly string[]): string {
  return JSON.stringify(names.map(name => of[name]));
}

function encode(name: string, value: unknown): KeyAttribute {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number' || typeof value === 'bigint') return { N: String(value) };
  if (value instanceof NumberValue) return { N: value.value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  throw new TypeError(`${name}: expected a key attribute of type S, N or B, got ${typeof value}.`);
}
