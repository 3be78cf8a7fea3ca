/**
 * The number that an attribute's value stands for, in each form in which a client hands it out: a number, a bigint, the
 * document client's NumberValue or another object that wraps it, or the low-level `{ N: '…' }` of streams. NaN for
 * everything that is no Number in DynamoDB.
 */
export function storedNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Number.NaN;
  return 'N' in value && typeof value.N === 'string' ? Number(value.N) : Number(value);
}
