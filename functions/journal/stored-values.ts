import { NumberValue } from '@aws-sdk/lib-dynamodb';

/** What the document client has read, with numbers in place of those that it wraps: none of the journal's has more digits than a double. */
export function plainValue(value: unknown): unknown {
  if (value instanceof NumberValue) return Number(value.value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainValue(each)]));
}
