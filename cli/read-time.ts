import { FlagError } from './flags.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a time from a flag: a date in UTC, or a time in ISO-8601 with a zone.
 *
 * @param flag its name without the dashes
 * @returns epoch milliseconds
 * @throws {FlagError}
 */
export function readTime(flag: string, text: string): number {
  const ms = DATE.test(text) || TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new FlagError(
    `--${flag}: expected a date such as 2026-11-20, which is one in UTC, or a time such as 2026-11-20T09:00:00Z, got "${text}"`,
  );
}
