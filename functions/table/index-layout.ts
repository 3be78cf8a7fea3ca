import type { ExpiryModel } from '../../expiry/model.ts';
import { windowKey, windowStarts } from '../../expiry/window.ts';
import type { SweepTarget } from '../../statemachine/contract/child.ts';
import { keyAttributeNames } from './item-key.ts';
import { shardsOf } from './shard-ranges.ts';

export interface IndexKey {
  readonly value: string | number;
  /** Epoch seconds. No entry under this key has an earlier TTL, unless its writer stamped a wrong window. */
  readonly from: number;
  /** The TTL of all entries under the key, epoch seconds; undefined when the TTLs can differ. */
  readonly ttl?: number;
}

export interface IndexLayout {
  readonly shards: number;
  /** Number of entries that a query reads for its minimum price. */
  readonly entriesOfLeastRead: number;
  /** The keys of the oldest entries come first. The same target always has the same keys. */
  keys(target: Pick<SweepTarget, 'shards' | 'from' | 'before'>): readonly IndexKey[];
}

export function indexLayout(model: ExpiryModel): IndexLayout {
  return model.indexedBy === 'window' ? byWindow(model) : BY_SECOND;
}

/**
 * Bytes that an eventually consistent query reads for half a read unit, its minimum price. Source: DynamoDB Developer Guide, "Read
 * consumption".
 */
const MIN_READ_BYTES = 4096;

/** A TTL has ten digits. Source: DynamoDB Developer Guide, "Item sizes and formats". */
const TTL_BYTES = 6;

/** A key attribute's value, which the writers choose, is assumed to be a UUID. */
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
