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

/** Milliseconds that a deletion may take, counted from when the sweep looks for it. `rate`: items that expire in a second. */
export function deletionTimeMs({ precision, marginSeconds = 0 }: Pace, rate: number): number {
  const atOnce = rate * (precision === 'minute' ? MINUTE_SECONDS : 1);
  return Math.round(USUAL_DELETE_MS + marginSeconds * 1000 + (atOnce / ITEMS_PER_SECOND) * 1000);
}

/** Most milliseconds from expiry to deletion that the sweep promises for an item that was written in time. */
export function promisedLagMs(pace: Pace, rate: number): number {
  return (pace.precision === 'minute' ? MINUTE_SECONDS : 1) * SECOND_MS + deletionTimeMs(pace, rate);
}

/** When the tick of a minute (epoch seconds) began to look for the items of its upcoming minute; epoch milliseconds. */
export type PlannedAt = (minute: number) => number;

/**
 * By when the sweep has to look for each of these items (epoch milliseconds), by the rules of docs/how-an-item-dies.md, "Limits".
 *
 * 1. With `precision: 'minute'`: at the first tick that is not before its expiry.
 * 2. Otherwise a child waits for each minute and shard of which the tick before it knew an item. What is written before its minute begins
 *    is deleted in its second.
 * 3. All else is the next tick's: the first one after its expiry, the margin and its writing.
 * 4. With `pollSeconds` a child waits for every minute and shard, and two reads are never further apart than this.
 *
 * It is computed from what was written and when, and so independently of what the sweep does.
 */
export function looksDueBy(
  items: readonly SweptItem[],
  pace: Pace,
  plannedAt: PlannedAt,
): ReadonlyMap<SweptItem, number> {
  const { precision, marginSeconds = 0 } = pace;
  if (precision === 'minute') return new Map(items.map(item => [item, nextTick(item)]));
  const groups = Map.groupBy(items, ({ ttl, shard }) => `${minuteOf(ttl + marginSeconds)} ${shard}`);
  return new Map([...groups.values()].flatMap(group => dueInMinute(group, pace, plannedAt)));
}

function dueInMinute(
  group: readonly SweptItem[],
  { pollSeconds, marginSeconds = 0 }: Pace,
  plannedAt: PlannedAt,
): [SweptItem, number][] {
  const minute = minuteOf((group[0]?.ttl ?? 0) + marginSeconds);
  const planned = plannedAt(minute - MINUTE_SECONDS);
  const isWatched = pollSeconds > 0 || group.some(({ knownAt }) => knownAt <= planned);
  return group.map(item => {
    const { ttl, knownAt } = item;
    if (isWatched && knownAt <= minute * 1000) return [item, ttl * 1000 + SECOND_MS];
    const next = nextMinuteAfter(Math.max((ttl + marginSeconds) * 1000, knownAt));
    return [item, SECOND_MS + Math.min(next, readAgain(item, pollSeconds) ?? next)];
  });
}

/** The latest time of the read that finds an item, if the child reads again and again; else undefined. */
function readAgain({ ttl, knownAt }: SweptItem, pollSeconds: number): number | undefined {
  if (pollSeconds === 0) return undefined;
  // Reads begin on whole seconds.
  const found = Math.ceil(knownAt / 1000) + pollSeconds;
  return Math.max(ttl, found) * 1000;
}

function nextTick({ ttl, knownAt }: SweptItem): number {
  return Math.max(Math.ceil(ttl / MINUTE_SECONDS) * MINUTE_SECONDS * 1000, nextMinuteAfter(knownAt));
}

function nextMinuteAfter(epochMs: number): number {
  return (Math.floor(epochMs / 1000 / MINUTE_SECONDS) + 1) * MINUTE_SECONDS * 1000;
}

function minuteOf(ttl: number): number {
  return Math.floor(ttl / MINUTE_SECONDS) * MINUTE_SECONDS;
}
