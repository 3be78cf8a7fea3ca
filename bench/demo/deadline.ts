import type { SweepSettings } from '../../functions/runtime/environment.ts';
import type { SweptItem } from '../ledger/tally.ts';

/** Ticks come every minute, and with `precision: 'second'` each owns the minute after its own. */
const MINUTE_SECONDS = 60;

/** An item is deleted in the second in which it expires. */
const SECOND_MS = 1_000;
/** Additional time that every sweep may take: for the query, for the delete, and until the stream shows it. */
const USUAL_DELETE_MS = 1_000;
/** Lowest rate of deletions when many items are due at once. Source: docs/contributing/decisions.md. */
const ITEMS_PER_SECOND = 1_000;

/** How precise a sweep is, and the margin by which items are deleted later with an archive or events. */
export interface Pace extends Pick<SweepSettings, 'precision' | 'pollSeconds'> {
  readonly marginSeconds?: number | undefined;
}

/** Milliseconds that a deletion may take, counted from when the sweep looks for it. `atOnce`: items that are due at the same time. */
export function deletionTimeMs(marginSeconds: number | undefined, atOnce: number): number {
  return Math.round(USUAL_DELETE_MS + (marginSeconds ?? 0) * 1000 + (atOnce / ITEMS_PER_SECOND) * 1000);
}

/** Most milliseconds from expiry to deletion that the sweep promises for an item that was written in time. `rate`: items that expire in a second. */
export function promisedLagMs({ precision, marginSeconds }: Pace, rate: number): number {
  const seconds = precision === 'minute' ? MINUTE_SECONDS : 1;
  return seconds * SECOND_MS + deletionTimeMs(marginSeconds, rate * seconds);
}

/** How long a tick deletes what is behind it. Source: docs/how-an-item-dies.md. */
const LOOKBACK_MS = 45_000;

/** The ticks that began late: when each began to look (epoch milliseconds), by its minute (epoch seconds). */
export type LateTicks = ReadonlyMap<number, number>;

/**
 * By when the sweep has to look for each of these items (epoch milliseconds), by the rules of docs/how-an-item-dies.md, "Limits".
 *
 * 1. With `precision: 'minute'`: at the first tick that is not before its expiry.
 * 2. Otherwise a child waits for each minute and shard of which the tick before it knew an item. What is written before its minute begins,
 *    or before a tick that is later than that, is deleted in its second.
 * 3. All else is the next tick's: the first one after its expiry, the margin and its writing. What had expired before the sweep began is
 *    that of a late one, in the time that it has for what is behind it.
 * 4. With `pollSeconds` a child waits for every minute and shard, and two reads are never further apart than this.
 *
 * It is computed from what was written and when, and from when ticks were started, and so independently of what the sweep does.
 */
export function looksDueBy(
  items: readonly SweptItem[],
  pace: Pace,
  late: LateTicks,
): ReadonlyMap<SweptItem, number> {
  const { precision, marginSeconds = 0 } = pace;
  if (precision === 'minute') {
    return new Map(items.map(item => [item, nextLook(item, Math.ceil(item.ttl) - 1, late)]));
  }
  const groups = Map.groupBy(items, ({ ttl, shard }) => `${minuteOf(ttl + marginSeconds)} ${shard}`);
  return new Map([...groups.values()].flatMap(group => dueInMinute(group, pace, late)));
}

function dueInMinute(
  group: readonly SweptItem[],
  { pollSeconds, marginSeconds = 0 }: Pace,
  late: LateTicks,
): [SweptItem, number][] {
  const minute = minuteOf((group[0]?.ttl ?? 0) + marginSeconds);
  const planned = late.get(minute - MINUTE_SECONDS) ?? (minute - MINUTE_SECONDS) * 1000;
  const isWatched = pollSeconds > 0 || group.some(({ knownAt }) => knownAt <= planned);
  return group.map(item => {
    const { ttl, knownAt } = item;
    const begins = Math.max(minute * 1000, planned);
    if (isWatched && knownAt <= begins) return [item, Math.max(ttl * 1000, planned) + SECOND_MS];
    const next = nextLook(item, ttl + marginSeconds, late);
    const isRead = pollSeconds > 0 && knownAt < (minute + MINUTE_SECONDS) * 1000;
    return [item, SECOND_MS + (isRead ? Math.min(next, readAgain(item, pollSeconds)) : next)];
  });
}

/** The latest time of the read that finds an item, where the child reads again and again. */
function readAgain({ ttl, knownAt }: SweptItem, pollSeconds: number): number {
  // Reads begin on whole seconds.
  return Math.max(ttl, Math.ceil(knownAt / 1000) + pollSeconds) * 1000;
}

/** When the first tick that finds an item has looked back. `due`: epoch seconds; that tick is of a later minute. */
function nextLook({ knownAt }: SweptItem, due: number, late: LateTicks): number {
  const tick = [...late].find(([minute, at]) => minute > due && at >= knownAt);
  if (tick !== undefined) return tick[1] + LOOKBACK_MS;
  return Math.floor(Math.max(due, knownAt / 1000) / MINUTE_SECONDS + 1) * MINUTE_SECONDS * 1000;
}

function minuteOf(ttl: number): number {
  return Math.floor(ttl / MINUTE_SECONDS) * MINUTE_SECONDS;
}
