import { FlagError } from '../flags.ts';
import { readTime } from '../read-time.ts';

/** Times of expiry, epoch milliseconds: from the first, before the second. */
export interface ExpirySpan {
  readonly fromMs: number;
  readonly beforeMs: number;
}

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
