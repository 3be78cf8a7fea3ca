/**
 * The number in a value of any form that a client returns: a number, a bigint, the document client's NumberValue or another wrapper object,
 * or the low-level `{ N: '…' }` of streams. NaN for a value that is not a Number in DynamoDB.
 */
export function storedNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Number.NaN;
  return 'N' in value && typeof value.N === 'string' ? Number(value.N) : Number(value);
}
