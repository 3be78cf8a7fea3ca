import { NumberValue } from '@aws-sdk/lib-dynamodb';

/** Replaces wrapped numbers in a value of the document client by plain ones: no number in the journal has more digits than a double. */
export function plainValue(value: unknown): unknown {
  if (value instanceof NumberValue) return Number(value.value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainValue(each)]));
}
