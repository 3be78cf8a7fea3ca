/**
 * The low-level client, streams and exports use this form of a value: `{ N: '1658266020' }`. Source: DynamoDB API reference,
 * AttributeValue.
 */
const MEMBERS = {
  S: (value: unknown) => typeof value === 'string',
  N: (value: unknown) => typeof value === 'string',
  B: (value: unknown) => value instanceof Uint8Array,
  SS: Array.isArray,
  NS: Array.isArray,
  BS: Array.isArray,
  M: (value: unknown) => typeof value === 'object' && value !== null,
  L: Array.isArray,
  NULL: (value: unknown) => typeof value === 'boolean',
  BOOL: (value: unknown) => typeof value === 'boolean',
} as const;

type MemberName = keyof typeof MEMBERS;

/** A map of the document client can look the same as a value in the low-level form. */
export function isAttributeValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const [member, ...others] = Object.entries(value);
  if (member === undefined || others.length > 0) return false;
  const [name, content] = member;
  return Object.hasOwn(MEMBERS, name) && MEMBERS[name as MemberName](content);
}

export function isLowLevel(values: unknown): boolean {
  if (typeof values !== 'object' || values === null) return false;
  const all = Object.values(values);
  return all.length > 0 && all.every(isAttributeValue);
}
