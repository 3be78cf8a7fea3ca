import { isObject } from './fields.ts';

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
