import type { SweepSettings } from '../../functions/runtime/environment.ts';
import type { ExpiredItem } from '../ledger/ledger.ts';

/** Ticks come every minute, and with `precision: 'second'` each owns the minute after its own. */
const MINUTE_SECONDS = 60;

const SECOND_MS = 1_000;
/** Additional time that every sweep may take: for the query, for the delete, and until the stream shows it. */
const USUAL_DELETE_MS = 1_000;
/** Lowest rate of deletions when many items are due at once. Source: docs/contributing/decisions.md. */
const ITEMS_PER_SECOND = 1_000;
/** Longest time until an item is due that was written too late for its tick. Source: docs/how-an-item-dies.md, "Limits". */
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

/** The ticks that began late: the actual start of each (epoch milliseconds), by its minute (epoch seconds). */
export type LateTicks = ReadonlyMap<number, number>;

/**
 * When an item is due, epoch milliseconds: at its expiry, if its tick knew it, or with `pollSeconds` if it was written as many seconds
 * before. Otherwise two minutes after both, or with `precision: 'minute'` at the first tick after both. It is computed from what was
 * written and when, and from when ticks were started, and so independently of what the sweep does.
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
