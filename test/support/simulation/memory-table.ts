import type { ExpiryModel } from '../../../expiry/model.ts';
import { shardOf } from '../../../expiry/shard.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import type { CountIndex, ReadIndex } from '../../../functions/table/index-query.ts';
import type { ExpiredKey, ItemKey } from '../../../statemachine/contract/keys.ts';

/** What a delete of one key came to. */
export type Outcome = 'deleted' | 'renewed' | 'notFound';

/** What lies under one key of the index: ids by TTL, and the TTLs in their order. A million items are read and deleted within seconds. */
interface Window {
  readonly ttls: number[];
  readonly idsOf: Map<number, Set<string>>;
}

/** A table with its expiry index, in memory: items are an id and a TTL (whole epoch seconds). */
export class MemoryTable {
  readonly #model: ExpiryModel;
  readonly #now: () => number;
  /** By key of the index. */
  readonly #windows = new Map<string | number, Window>();
  readonly #items = new Map<string, { readonly window: string | number; readonly ttl: number }>();

  /** @param now DynamoDB's clock, epoch milliseconds */
  constructor(model: ExpiryModel, now: () => number) {
    this.#model = model;
    this.#now = now;
  }

  /** How many items there are. */
  get size(): number {
    return this.#items.size;
  }

  /**
   * @param shard by window, that its writer stamps. @default that of `expiryAttributes`
   * @param stampedFor a TTL of the window that its writer stamps
   */
  write(
    id: string,
    ttl: number,
    shard = shardOf({ id }, { partitionKey: 'id' }, this.#model.shards),
    stampedFor = ttl,
  ): void {
    this.#remove(id);
    const { granularitySeconds, indexedBy } = this.#model;
    const start = windowStart(indexedBy === 'second' ? ttl : stampedFor, granularitySeconds);
    const key = indexedBy === 'second' ? start : windowKey(start, granularitySeconds, shard);
    const window = this.#windows.get(key) ?? { ttls: [], idsOf: new Map() };
    this.#windows.set(key, window);
    this.#items.set(id, { window: key, ttl });
    const ids = window.idsOf.get(ttl);
    if (ids) {
      ids.add(id);
      return;
    }
    window.idsOf.set(ttl, new Set([id]));
    window.ttls.splice(firstFrom(window.ttls, ttl), 0, ttl);
  }

  /** Deletes an item if it is expired at the cutoff (epoch seconds). */
  deleteIfExpired(key: ItemKey, cutoff: number): Outcome {
    const id = idOf(key);
    const item = this.#items.get(id);
    if (item === undefined) return 'notFound';
    if (item.ttl > cutoff) return 'renewed';
    this.#remove(id);
    return 'deleted';
  }

  ids(): string[] {
    return [...this.#items.keys()].sort();
  }

  /** Reads a key as a query of the index does: in the order of TTL, a limited number. */
  readonly readIndex: ReadIndex = async ({ value }, { from, upTo }, limit) => {
    const entries: ExpiredKey[] = [];
    let more = false;
    for (const entry of this.#entries(value, from, upTo)) {
      more = entries.length === limit;
      if (more) break;
      entries.push(entry);
    }
    return { entries, more, readAt: Math.floor(this.#now() / 1000) };
  };

  readonly countIndex: CountIndex = async ({ value }, { from, upTo }) =>
    [...this.#entries(value, from, upTo)].length;

  *#entries(key: string | number, from: number, upTo: number): Generator<ExpiredKey> {
    const { ttls, idsOf } = this.#windows.get(key) ?? { ttls: [], idsOf: new Map<number, Set<string>>() };
    for (let index = firstFrom(ttls, from); index < ttls.length; index += 1) {
      const ttl = ttls[index] ?? Number.POSITIVE_INFINITY;
      if (ttl > upTo) return;
      for (const id of [...(idsOf.get(ttl) ?? [])].sort()) yield { key: { id: { S: id } }, ttl };
    }
  }

  #remove(id: string): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#items.delete(id);
    const window = this.#windows.get(item.window);
    const ids = window?.idsOf.get(item.ttl);
    ids?.delete(id);
    if (window === undefined || ids === undefined || ids.size > 0) return;
    window.idsOf.delete(item.ttl);
    window.ttls.splice(firstFrom(window.ttls, item.ttl), 1);
  }
}

/** Index of the first TTL that is not below this one. */
function firstFrom(ttls: readonly number[], ttl: number): number {
  let low = 0;
  let high = ttls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ttls[middle] ?? 0) < ttl) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function idOf(key: ItemKey): string {
  const { id } = key;
  return id && 'S' in id ? id.S : '';
}
