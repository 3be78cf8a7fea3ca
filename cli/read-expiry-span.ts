import { ALL_TIME, type ExpirySpan } from '../operate/restore/span.ts';
import { FlagError } from './flags.ts';
import { readTime } from './read-time.ts';

/**
 * Reads `--expired-from` and `--expired-to`: a date in UTC, or a time in ISO-8601 with a zone.
 *
 * @throws {FlagError}
 */
export function readExpirySpan(from: string | undefined, to: string | undefined): ExpirySpan {
  const span = {
    fromMs: from === undefined ? ALL_TIME.fromMs : readTime('expired-from', from),
    beforeMs: to === undefined ? ALL_TIME.beforeMs : readTime('expired-to', to),
  };
  if (span.fromMs < span.beforeMs) return span;
  throw new FlagError(`--expired-to: expected a time after --expired-from (${from}), got "${to}"`);
}
