import { LEDGER_DAYS } from '../../functions/journal/ledger.ts';
import { FlagError } from '../flags.ts';
import { isoSeconds } from '../iso-seconds.ts';
import { readTime } from '../read-time.ts';

/** Times of deletion, epoch seconds: in [from, before), both on a minute. */
export interface AuditSpan {
  readonly from: number;
  readonly before: number;
}

const MINUTE_MS = 60_000;

/**
 * Reads `--from` and `--to`. The books are compared by whole minutes, so the span takes in those in which it begins and ends.
 *
 * @param nowMs epoch milliseconds
 * @throws {FlagError}
 */
export function readAuditSpan(from: string | undefined, to: string | undefined, nowMs: number): AuditSpan {
  if (from === undefined)
    throw new FlagError(
      '--from: expected the time of the first deletions, got nothing; write --from 2026-11-20T09:00:00Z',
    );
  const fromMs = readTime('from', from);
  const beforeMs = to === undefined ? nowMs : readTime('to', to);
  if (beforeMs > nowMs)
    throw new FlagError(`--to: expected a time that has passed, got "${to}"; leave it out for now`);
  if (fromMs >= beforeMs)
    throw new FlagError(
      `--from: expected a time before --to (${to ?? `now, ${isoSeconds(nowMs)}`}), got "${from}"`,
    );
  const first = nowMs - LEDGER_DAYS * 86_400_000;
  if (fromMs < first)
    throw new FlagError(
      `--from: expected ${isoSeconds(first)} or later, got "${from}"; the journal has the ledger of the last ${LEDGER_DAYS} days`,
    );
  return {
    from: (Math.floor(fromMs / MINUTE_MS) * MINUTE_MS) / 1000,
    before: (Math.ceil(beforeMs / MINUTE_MS) * MINUTE_MS) / 1000,
  };
}
