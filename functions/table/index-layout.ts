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
  /** The one TTL that all its entries have, epoch seconds; undefined when they can have any. */
  readonly ttl?: number;
  /**
   * The highest TTL that an entry has whose writer stamped it right, epoch seconds: the older way puts the edge into the window that ends
   * there. Undefined where nothing is known.
   */
  readonly end?: number;
}

/**
 * Where the index holds what expires: all that the sweep has to know of the two ways to be indexed. A sweep is planned in
 * windows, whose entries lie under one key each (by window and shard) or under one key per second.
 */
export interface IndexLayout {
  /** Length of a window, seconds. */
  readonly windowSeconds: number;
  /** Parts of a window, each under keys of its own. */
  readonly shards: number;
  /** Keys of the index that one shard of a window has. */
  readonly keysPerShard: number;
  /** Entries, about, that a query reads for the least that it costs. 1: a key holds nothing that is read for nothing. */
  readonly entriesOfLeastRead: number;
  /** A window can hold items whose TTL lies elsewhere: their writers stamped them wrong. */
  readonly holdsStrays: boolean;
  /** The starts of the windows that may hold a TTL in [from, before), epoch seconds, oldest first. */
  windows(from: number, before: number): Iterable<number>;
  /** The keys that a target's entries lie under, oldest first; always the same for the same target. */
  keys(target: SweepTarget): readonly IndexKey[];
}

export function indexLayout(model: ExpiryModel): IndexLayout {
  return model.indexedBy === 'window' ? byWindow(model) : BY_SECOND;
}

/** A tick looks back to the watermark through so many keys of the index by itself, or one window. By second that is ten minutes. */
const MAX_REACHED_KEYS = 600;

/** How far back a tick looks to the watermark by itself, seconds. What lies further back is handed over. */
export function reachSeconds({ windowSeconds, shards, keysPerShard }: IndexLayout): number {
  const windows = Math.max(1, Math.floor(MAX_REACHED_KEYS / (shards * keysPerShard)));
  return Math.min(windows * windowSeconds, MAX_LOOKBACK_MINUTES * 60);
}

/**
 * Bytes that an eventually consistent query reads for half a unit, the least that one costs. Source: DynamoDB Developer Guide, "Read
 * consumption".
 */
const MIN_READ_BYTES = 4096;

/** A TTL of ten digits. Source: DynamoDB Developer Guide, "Item sizes and formats". */
const TTL_BYTES = 6;

/** The writers decide what a key's attribute holds: a UUID is assumed. */
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

/** Seconds that are planned, probed and swept together: a child for each of them would cost more than what it deletes. */
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
