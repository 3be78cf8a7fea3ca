import type { PollPace } from '../../functions/child/poll.ts';
import { AHEAD_SECONDS } from '../../functions/query-expired/plan-ahead.ts';
import type { SweptItem } from '../ledger/tally.ts';

/** Ticks come every minute, and a precise tick sweeps the minute after its own. */
const MINUTE_SECONDS = 60;

/** Additional time that every sweep may take: for the poll, for the delete, and until the stream shows it. */
const USUAL_DELETE_MS = 1_000;
/** Lowest rate of deletions when many items are due at once. Source: docs/contributing/decisions.md. */
const ITEMS_PER_SECOND = 1_000;

/** How often the index is polled, and the margin by which items are deleted later with an archive or events. */
export type Pace = PollPace & { readonly marginSeconds?: number | undefined };

/** Milliseconds that a deletion may take, counted from when the sweep polls. `rate`: items that expire in a second. */
export function deletionTimeMs({ precisionSeconds, marginSeconds = 0 }: Pace, rate: number): number {
  const atOnce = rate * (isPlain(precisionSeconds) ? MINUTE_SECONDS : precisionSeconds);
  return Math.round(USUAL_DELETE_MS + marginSeconds * 1000 + (atOnce / ITEMS_PER_SECOND) * 1000);
}

/** Most milliseconds from expiry to deletion that the sweep promises for an item that was written in time. */
export function promisedLagMs(pace: Pace, rate: number): number {
  return pace.precisionSeconds * 1000 + deletionTimeMs(pace, rate);
}

/** Whether there is one sweep a minute, and nothing in between. */
export function isPlain(precisionSeconds: number): boolean {
  return precisionSeconds === MINUTE_SECONDS;
}

/** When the tick of a minute (epoch seconds) began to look for the items of its upcoming minute; epoch milliseconds. */
export type PlannedAt = (minute: number) => number;

/**
 * By when the sweep has to poll for each of these items (epoch milliseconds), by the rules of docs/how-an-item-dies.md, "Limits".
 *
 * 1. The plain mode: at the first tick that is not before its expiry.
 * 2. Otherwise a child waits for each minute and shard of which the tick before it knew an item. What is written before its minute begins
 *    is found at its expiry, at most `precisionSeconds` later.
 * 3. What is written within its minute is found at the next poll: when an item of the same minute and shard expires that was written before
 *    the minute began, and whose delete the poll before could not plan. If there is no such item, the next tick finds it; with
 *    `marginSeconds`, the first tick after the TTL and this margin.
 * 4. With `pollSeconds` a child waits for every minute and shard, and two polls are never further apart than this.
 *
 * It is computed from what was written and when, and so independently of what the sweep does.
 */
export function pollsDueBy(
  items: readonly SweptItem[],
  pace: Pace,
  plannedAt: PlannedAt,
): ReadonlyMap<SweptItem, number> {
  if (isPlain(pace.precisionSeconds)) return new Map(items.map(item => [item, nextTick(item)]));
  const groups = Map.groupBy(items, ({ ttl, shard }) => `${minuteOf(ttl)} ${shard}`);
  return new Map([...groups.values()].flatMap(group => dueInMinute(group, pace, plannedAt)));
}

function dueInMinute(
  group: readonly SweptItem[],
  { precisionSeconds, pollSeconds, marginSeconds = 0 }: Pace,
  plannedAt: PlannedAt,
): [SweptItem, number][] {
  const minute = minuteOf(group[0]?.ttl ?? 0);
  const planned = plannedAt(minute - MINUTE_SECONDS);
  const isWatched = pollSeconds > 0 || group.some(({ knownAt }) => knownAt <= planned);
  const isKnown = ({ knownAt }: SweptItem) => isWatched && knownAt <= minute * 1000;
  const known = group
    .filter(isKnown)
    .map(({ ttl }) => ttl)
    .sort((a, b) => a - b);
  return group.map(item => {
    const { ttl, knownAt } = item;
    const end = Math.max(nextMinuteAfter((ttl + marginSeconds) * 1000), nextMinuteAfter(knownAt));
    const next = known.find(other => (isKnown(item) ? other >= ttl : other >= ttl + AHEAD_SECONDS));
    const withKnown = next === undefined ? end : next * 1000;
    return [item, precisionSeconds * 1000 + Math.min(withKnown, polled(item, pollSeconds) ?? withKnown)];
  });
}

/** The latest time of the poll that finds an item, if the child polls; else undefined. */
function polled({ ttl, knownAt }: SweptItem, pollSeconds: number): number | undefined {
  if (pollSeconds === 0) return undefined;
  // Polls begin on whole seconds.
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
