import { isObject } from '../../expiry/fields.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import type { KeyNames } from '../../expiry/shard.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { InputError } from '../errors.ts';

/** Span of expiry times, epoch milliseconds: [fromMs, beforeMs). */
export interface ExpirySpan {
  readonly fromMs: number;
  readonly beforeMs: number;
}

export const ALL_TIME: ExpirySpan = {
  fromMs: Number.NEGATIVE_INFINITY,
  beforeMs: Number.POSITIVE_INFINITY,
};

/** Keys by id. The id is equal for equal keys, however their numbers and bytes are written: `1.0` equals `1`. */
export type WantedKeys = ReadonlyMap<string, ItemKey>;

/**
 * Checks keys, and removes duplicates.
 *
 * @param field that contains the keys, for messages
 * @param names the attributes of a key
 * @throws {InputError}
 */
export function wantedKeys(field: string, values: readonly unknown[], names: KeyNames): WantedKeys {
  const wanted = new Map<string, ItemKey>();
  for (const value of values) {
    const id = keyId(value, names);
    if (id === undefined) {
      throw new InputError(
        field,
        `expected keys such as ${exampleOf(names)}, got ${JSON.stringify(value)}; write DynamoDB JSON with the table's own key attributes and no others`,
      );
    }
    wanted.set(id, value as ItemKey);
  }
  if (wanted.size > 0) return wanted;
  throw new InputError(field, `expected at least one key such as ${exampleOf(names)}, got none`);
}

/** The id of a key; undefined if the value is not a key of the table. */
export function keyId(value: unknown, names: KeyNames): string | undefined {
  if (!isObject(value)) return undefined;
  const attributes = keyAttributeNames(names);
  if (Object.keys(value).length !== attributes.length) return undefined;
  const parts = attributes.map(name => (Object.hasOwn(value, name) ? attributeId(value[name]) : undefined));
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

function attributeId(value: unknown): readonly [string, string] | undefined {
  if (!isObject(value)) return undefined;
  const [[type, content] = [], ...others] = Object.entries(value);
  if (typeof content !== 'string' || content === '' || others.length > 0) return undefined;
  if (type === 'S') return [type, content];
  if (type === 'B') return [type, Buffer.from(content, 'base64').toString('base64')];
  const digits = type === 'N' ? plainDecimal(content) : undefined;
  return digits === undefined ? undefined : ['N', digits];
}

function exampleOf(names: KeyNames): string {
  return JSON.stringify(Object.fromEntries(keyAttributeNames(names).map(name => [name, { S: '…' }])));
}
