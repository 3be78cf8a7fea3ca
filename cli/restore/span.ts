import { FlagError } from '../flags.ts';

/** Times of expiry, epoch milliseconds: from the first, before the second. */
export interface ExpirySpan {
  readonly fromMs: number;
  readonly beforeMs: number;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads `--expired-from` and `--expired-to`: a date in UTC, or a time in ISO-8601 with a zone.
 *
 * @throws {FlagError}
 */
export function readExpirySpan(from: string | undefined, to: string | undefined): ExpirySpan {
  const span = {
    fromMs: from === undefined ? Number.NEGATIVE_INFINITY : readTime('expired-from', from),
    beforeMs: to === undefined ? Number.POSITIVE_INFINITY : readTime('expired-to', to),
  };
  if (span.fromMs < span.beforeMs) return span;
  throw new FlagError(`--expired-to: expected a time after --expired-from (${from}), got "${to}"`);
}

function readTime(flag: string, text: string): number {
  const ms = DATE.test(text) || TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new FlagError(
    `--${flag}: expected a date such as 2026-11-20, which is one in UTC, or a time such as 2026-11-20T09:00:00Z, got "${text}"`,
  );
}
