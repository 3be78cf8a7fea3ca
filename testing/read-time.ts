import { LocalTestError } from './errors.ts';

/** A time without a zone means different moments on different machines. */
const ZONED = /(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Converts a test's time to epoch milliseconds.
 * @param field name of the field, for the message
 * @throws {LocalTestError}
 */
export function readTime(field: string, value: Date | number | string): number {
  const isReadable =
    typeof value === 'string' ? ZONED.test(value) : typeof value !== 'number' || Number.isInteger(value);
  const epochMs = isReadable ? new Date(value).getTime() : Number.NaN;
  if (Number.isInteger(epochMs)) return epochMs;
  throw new LocalTestError(
    `${field}: expected a Date, epoch milliseconds, or ISO-8601 with a zone, e.g. '2026-11-20T09:00:00Z', got ${JSON.stringify(value)}`,
  );
}
