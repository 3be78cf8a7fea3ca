/** A window contains the TTLs of [start, end). A window's length divides a day, so that each day at midnight UTC a window begins. */

/** Maximum write units per second of a partition or partition key. Source: DynamoDB Developer Guide, "Burst and adaptive capacity". */
export const PARTITION_UNITS = 1000;

export const MINUTES_PER_DAY = 24 * 60;

export const GRANULARITIES: readonly number[] = Array.from(
  { length: MINUTES_PER_DAY },
  (_unused, index) => index + 1,
).filter(minutes => MINUTES_PER_DAY % minutes === 0);

/** The start of the window that contains `ttl`, both in epoch seconds. */
export function windowStart(ttl: number, granularitySeconds: number): number {
  return Math.floor(ttl / granularitySeconds) * granularitySeconds;
}

/**
 * The index key of a window's shard, e.g. `2022-07-19T21:27:00.000Z_2022-07-19T21:28:00.000Z`. Shard k > 0 appends `#k`. Shard 0 appends
 * nothing, so that keys from versions without shards stay valid.
 * @param start epoch seconds
 */
export function windowKey(start: number, granularitySeconds: number, shard = 0): string {
  const plain = `${isoMilliseconds(start)}_${isoMilliseconds(start + granularitySeconds)}`;
  return shard === 0 ? plain : `${plain}#${shard}`;
}

export interface Window {
  readonly start: number;
  readonly granularitySeconds: number;
  readonly shard: number;
}

const WINDOW_KEY = /^([^_#]+)_([^_#]+)(?:#(\d+))?$/;

/** Reads a key that {@link windowKey} has written. The window's length and alignment are not checked. @returns undefined for other keys */
export function readWindowKey(key: string): Window | undefined {
  const [, from = '', to = '', shardText = '0'] = WINDOW_KEY.exec(key) ?? [];
  const start = Date.parse(from) / 1000;
  const granularitySeconds = Date.parse(to) / 1000 - start;
  const shard = Number(shardText);
  const isWindow = granularitySeconds > 0 && windowKey(start, granularitySeconds, shard) === key;
  return isWindow ? { start, granularitySeconds, shard } : undefined;
}

function isoMilliseconds(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString();
}

/** Starts of the windows that may contain TTLs of [from, before), epoch seconds, oldest first. */
export function* windowStarts(from: number, before: number, granularitySeconds: number): Generator<number> {
  if (before <= from) return;
  const last = windowStart(before - 1, granularitySeconds);
  // Earlier versions put a TTL that is equal to a window's start into the previous window, so `from - 1` includes that window.
  for (let start = windowStart(from - 1, granularitySeconds); start <= last; start += granularitySeconds) {
    yield start;
  }
}
