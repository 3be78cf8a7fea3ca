import { isObject } from './fields.ts';

/** The type of each member's content. Source: DynamoDB API reference, AttributeValue. */
const MEMBERS: Readonly<Record<string, string>> = {
  ...{ S: 'string', N: 'string', NULL: 'boolean', BOOL: 'boolean' },
  ...{ B: 'object', SS: 'object', NS: 'object', BS: 'object', M: 'object', L: 'object' },
};

/**
 * Whether a value has the form of the low-level client, streams and exports: `{ N: '1658266020' }`. A map of the document client can look
 * the same.
 */
export function isAttributeValue(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [[name, content] = [''], ...others] = Object.entries(value);
  return others.length === 0 && Object.hasOwn(MEMBERS, name) && typeof content === MEMBERS[name];
}

export function isLowLevel(values: unknown): boolean {
  if (!isObject(values)) return false;
  const all = Object.values(values);
  return all.length > 0 && all.every(isAttributeValue);
}
