import { isObject } from './fields.ts';

/**
 * One item, as a class, an interface or a record. The two fields exclude values that would otherwise pass for an item without an expiry:
 * the output of a command instead of its Item, and lists, Sets and Maps.
 */
export type ItemLike = object & { readonly $metadata?: never; readonly forEach?: never };

export function isItem(value: unknown): value is ItemLike {
  return typeof value === 'object' && value !== null && !('$metadata' in value) && !('forEach' in value);
}

const isText = (content: unknown) => typeof content === 'string';
const isBoolean = (content: unknown) => typeof content === 'boolean';

/** What each member contains. Source: DynamoDB API reference, AttributeValue. */
const MEMBERS: Readonly<Record<string, (content: unknown) => boolean>> = {
  ...{ S: isText, N: isText, NULL: isBoolean, BOOL: isBoolean },
  ...{ SS: Array.isArray, NS: Array.isArray, BS: Array.isArray, L: Array.isArray },
  ...{ M: isObject, B: content => content instanceof Uint8Array },
};

/**
 * Whether a value has the form of the low-level client, streams and exports: `{ N: '1658266020' }`. A map of the document client can look
 * the same.
 */
export function isAttributeValue(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [[name, content] = [''], ...others] = Object.entries(value);
  return others.length === 0 && Object.hasOwn(MEMBERS, name) && MEMBERS[name]?.(content) === true;
}

export function isLowLevel(values: unknown): boolean {
  if (!isObject(values)) return false;
  const all = Object.values(values);
  return all.length > 0 && all.every(isAttributeValue);
}
