import type { SweepSettings } from '../../functions/runtime/environment.ts';
import type { ExpiredItem } from '../ledger/ledger.ts';

/** Time between two ticks. With `precision: 'second'` a tick owns the minute after its own minute. */
const MINUTE_SECONDS = 60;

const SECOND_MS = 1_000;
/** Time for the query, for the delete, and until the stream shows the deletion. */
const USUAL_DELETE_MS = 1_000;
/** Lowest rate of deletions when many items are due at once. Source: docs/contributing/decisions.md. */
const ITEMS_PER_SECOND = 1_000;
/** Longest delay of an item that was written after its tick had begun. Source: docs/how-an-item-dies.md, "Limits". */
const WRITTEN_LATE_MS = 120_000;

export interface Pace extends Pick<SweepSettings, 'precision' | 'pollSeconds'> {
  readonly marginSeconds?: number | undefined;
}

/** Longest time from when an item is due to its deletion, milliseconds. @param rate items that expire in a second */
export function promisedLagMs({ precision, marginSeconds = 0 }: Pace, rate: number): number {
  const seconds = precision === 'minute' ? MINUTE_SECONDS : 1;
  const deletionMs = USUAL_DELETE_MS + marginSeconds * 1000 + (rate * seconds * 1000) / ITEMS_PER_SECOND;
  return Math.round(seconds * SECOND_MS + deletionMs);
}

/** Minute of each late tick (epoch seconds) → actual start of the tick (epoch milliseconds). */
export type LateTicks = ReadonlyMap<number, number>;

/**
 * When an item is due, epoch milliseconds. An item that was written before its tick began, or `pollSeconds` before its expiry, is due at
 * the expiry, or at the start of a late tick. With `precision: 'minute'` an item is due at its expiry or at a later write; all other
 * items are due two minutes after that moment. The function uses no data of the sweep, because the result judges the sweep.
 */
export function dueAt({ ttl, writtenAt }: ExpiredItem, pace: Pace, late: LateTicks): number {
  const { precision, pollSeconds, marginSeconds = 0 } = pace;
  const expiry = ttl * 1000;
  if (precision === 'minute') return Math.max(expiry, writtenAt);
  const tick = minuteOf(ttl + marginSeconds) - MINUTE_SECONDS;
  const planned = late.get(tick) ?? tick * 1000;
  if (writtenAt <= (pollSeconds > 0 ? expiry - pollSeconds * 1000 : planned))
    return Math.max(expiry, planned);
  return Math.max(expiry, writtenAt) + WRITTEN_LATE_MS;
}

export function minuteOf(epochSeconds: number): number {
  return Math.floor(epochSeconds / MINUTE_SECONDS) * MINUTE_SECONDS;
}
