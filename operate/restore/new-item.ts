import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { expiryAttributes } from '../../expiry/attributes.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { toNativeKey } from '../../functions/table/item-key.ts';
import type { FoundImage } from './find-images.ts';

/** New expiry of a restored item, epoch seconds; undefined: it does not expire. */
export type NewExpiry = number | undefined;

/**
 * The item to write: the archived one, with the new expiry and window in place of the old ones.
 *
 * @param nowMs epoch milliseconds
 */
export function newItem(
  { key, attributes }: FoundImage,
  model: ExpiryModel,
  expiresAt: NewExpiry,
  nowMs: number,
): Record<string, AttributeValue> {
  const { ttlAttribute, windowAttribute } = model;
  const kept = Object.entries(attributes).filter(
    ([name]) => name !== ttlAttribute && name !== windowAttribute,
  );
  const options = expiresAt === undefined ? { ttlSeconds: 0 } : { expiresAt };
  const stamped = Object.entries(expiryAttributes(model, toNativeKey(key), { ...options, nowMs })).map(
    ([name, value]) => [name, typeof value === 'number' ? { N: String(value) } : { S: value }] as const,
  );
  return Object.fromEntries([...kept, ...stamped]);
}
