import type { ExpiryModel } from '../../expiry/model.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { windowStarts } from '../../expiry/window-starts.ts';
import { MAX_LOOKBACK_MINUTES } from '../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { keyAttributeNames } from './item-key.ts';
import { shardsOf } from './target-windows.ts';

/** A partition key of the index. */
export interface IndexKey {
  /** A window's key, or a second. */
  readonly value: string | number;
  /** The TTL of all its entries, epoch seconds; undefined when they can differ. */
  readonly ttl?: number;
  /**
   * The highest TTL of correctly stamped entries, epoch seconds: the older way of stamping puts the edge into the window that ends there.
   * Undefined if not known.
   */
  readonly end?: number;
}

/**
 * How the index is laid out: everything that the sweep must know of the two ways to index. A sweep is planned in windows, whose entries
 * lie under one key each (by window and shard) or under one key per second.
 */
export interface IndexLayout {
  /** Length of a window, seconds. */
  readonly windowSeconds: number;
  /** Number of shards of a window, each with its own keys. */
  readonly shards: number;
  /** Number of index keys in one shard of a window. */
  readonly keysPerShard: number;
  /** Approximate number of entries that a query reads for its minimum price; 1: reading more entries of a key is never free. */
  readonly entriesOfLeastRead: number;
  /** Whether a window can hold items with TTLs outside of it, whose writers stamped them wrong. */
  readonly holdsStrays: boolean;
  /** The starts of the windows that may hold a TTL in [from, before), epoch seconds, oldest first. */
  windows(from: number, before: number): Iterable<number>;
  /** The keys of a target's entries, oldest first; always the same for the same target. */
  keys(target: SweepTarget): readonly IndexKey[];
}

export function indexLayout(model: ExpiryModel): IndexLayout {
  return model.indexedBy === 'window' ? byWindow(model) : BY_SECOND;
}

/** Most index keys through which a tick itself looks back to the watermark, unless it is one window. By second that is ten minutes. */
const MAX_REACHED_KEYS = 600;

/** How far a tick itself looks back to the watermark, seconds. Older TTLs are handed over. */
export function reachSeconds({ windowSeconds, shards, keysPerShard }: IndexLayout): number {
  const windows = Math.max(1, Math.floor(MAX_REACHED_KEYS / (shards * keysPerShard)));
  return Math.min(windows * windowSeconds, MAX_LOOKBACK_MINUTES * 60);
}

/**
 * Bytes that an eventually consistent query reads for half a unit, its minimum price. Source: DynamoDB Developer Guide, "Read
 * consumption".
 */
const MIN_READ_BYTES = 4096;

/** Bytes of a TTL with ten digits. Source: DynamoDB Developer Guide, "Item sizes and formats". */
const TTL_BYTES = 6;

/** Assumed bytes of a key attribute's value, which the writers choose: those of a UUID. */
const KEY_VALUE_BYTES = 36;

/** The approximate size of an index entry. */
function entryBytes(model: ExpiryModel): number {
  const { windowAttribute = '', ttlAttribute, granularitySeconds, shards } = model;
  const names = keyAttributeNames(model);
  const window = windowKey(0, granularitySeconds, shards - 1);
  return [windowAttribute, window, ttlAttribute, ...names].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    TTL_BYTES + names.length * KEY_VALUE_BYTES,
  );
}

function byWindow(model: ExpiryModel): IndexLayout {
  const { granularitySeconds, shards } = model;
  return {
    windowSeconds: granularitySeconds,
    shards,
    keysPerShard: 1,
    entriesOfLeastRead: Math.max(1, Math.floor(MIN_READ_BYTES / entryBytes(model))),
    holdsStrays: true,
    windows: (from, before) => windowStarts(from, before, granularitySeconds),
    keys: ({ windows }) =>
      windows.flatMap(({ start, shards: ranges }) =>
        shardsOf(ranges).map(shard => ({
          value: windowKey(start, granularitySeconds, shard),
          end: start + granularitySeconds,
        })),
      ),
  };
}

/** Seconds that are planned, probed and swept together: a child for each second would cost more than its deletes. */
const MINUTE = 60;

const BY_SECOND: IndexLayout = {
  windowSeconds: MINUTE,
  shards: 1,
  keysPerShard: MINUTE,
  entriesOfLeastRead: 1,
  holdsStrays: false,
  *windows(from, before) {
    for (let start = windowStart(from, MINUTE); start < before; start += MINUTE) yield start;
  },
  keys: ({ windows, from, before }) =>
    windows.flatMap(({ start }) => {
      const first = Math.max(start, Math.ceil(from));
      const seconds = Math.max(0, Math.min(start + MINUTE, Math.ceil(before)) - first);
      return Array.from({ length: seconds }, (_unused, second) => ({
        value: first + second,
        ttl: first + second,
      }));
    }),
};
