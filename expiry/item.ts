import { isObject } from './fields.ts';

/** An item or a key, but no command output (`$metadata`), list, Set or Map (`forEach`): they have no TTL, and would pass for live items. */
export type ItemLike = object & { readonly $metadata?: never; readonly forEach?: never };

export function isItem(value: unknown): value is ItemLike {
  return typeof value === 'object' && value !== null && !('$metadata' in value) && !('forEach' in value);
}

const isText = (content: unknown) => typeof content === 'string';
const isBoolean = (content: unknown) => typeof content === 'boolean';

/** The members of an AttributeValue, and a check of the content of each. Source: DynamoDB API reference, AttributeValue. */
const MEMBERS: Readonly<Record<string, (content: unknown) => boolean>> = {
  ...{ S: isText, N: isText, NULL: isBoolean, BOOL: isBoolean },
  ...{ SS: Array.isArray, NS: Array.isArray, BS: Array.isArray, L: Array.isArray },
  ...{ M: isObject, B: content => content instanceof Uint8Array },
};

/**
 * Whether a value has the form of the low-level client and of streams: `{ N: '1658266020' }`. Also true for a user's map of this form.
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
