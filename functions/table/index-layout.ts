import type { ExpiryModel } from '../../expiry/model.ts';
import { windowKey, windowStarts } from '../../expiry/window.ts';
import type { SweepTarget } from '../../statemachine/contract/child.ts';
import { keyAttributeNames } from './item-key.ts';

export interface IndexKey {
  readonly value: string | number;
  /** Epoch seconds. Entries under this key have no earlier TTL, unless a writer wrote a wrong window. */
  readonly from: number;
  /** In an index by second: the TTL of all entries under this key, epoch seconds. Undefined in an index by window. */
  readonly ttl?: number;
}

export interface IndexLayout {
  readonly shards: number;
  /** Index by window: number of entries that one query can read for the minimum price of a query. Index by second: 1. */
  readonly entriesOfLeastRead: number;
  /** The index keys under which the target's entries are, the oldest first. */
  keys(target: Pick<SweepTarget, 'shards' | 'from' | 'before'>): readonly IndexKey[];
}

export function indexLayout(model: ExpiryModel): IndexLayout {
  return model.indexedBy === 'window' ? byWindow(model) : BY_SECOND;
}

/**
 * The minimum price of an eventually consistent query is half a read unit, which covers this many bytes. Source: DynamoDB Developer Guide,
 * "Read consumption".
 */
const MIN_READ_BYTES = 4096;

/** Size of a number of ten digits, such as a TTL. Source: DynamoDB Developer Guide, "Item sizes and formats". */
const TTL_BYTES = 6;

/** Assumed size of a key attribute's value: the size of a UUID. Writers may choose other values. */
const KEY_VALUE_BYTES = 36;

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
    shards,
    entriesOfLeastRead: Math.max(1, Math.floor(MIN_READ_BYTES / entryBytes(model))),
    keys: ({ shards: ranges, from, before }) =>
      [...windowStarts(from, before, granularitySeconds)].flatMap(start =>
        shardsOf(ranges).map(shard => ({ value: windowKey(start, granularitySeconds, shard), from: start })),
      ),
  };
}

const BY_SECOND: IndexLayout = {
  shards: 1,
  entriesOfLeastRead: 1,
  keys: ({ from, before }) => {
    const first = Math.ceil(from);
    return Array.from({ length: Math.max(0, Math.ceil(before) - first) }, (_unused, second) => ({
      value: first + second,
      from: first + second,
      ttl: first + second,
    }));
  },
};

/* A target's shards are written as ranges, e.g. `0-24,30`: there may be a thousand, and Step Functions limits a payload's size. */

function shardsOf(ranges: string): number[] {
  return ranges.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_unused, index) => first + index);
  });
}

export function rangesOf(shards: Iterable<number>): string {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of [...new Set(shards)].sort((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === shard - 1) range.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
}
