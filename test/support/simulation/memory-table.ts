import type { ExpiryModel } from '../../../expiry/model.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import type { ReadHeld } from '../../../functions/table/held-items.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { ExpiredKey, ItemKey } from '../../../statemachine/contract.ts';

/** What a delete of one key came to. */
export type Outcome = 'deleted' | 'renewed' | 'held' | 'notFound';

/** A table with its expiry index, in memory: items are an id and a TTL (whole epoch seconds). */
export class MemoryTable {
  readonly #model: ExpiryModel;
  readonly #now: () => number;
  /** By key of the index, then by id. */
  readonly #windows = new Map<string | number, Map<string, number>>();
  readonly #windowOf = new Map<string, string | number>();
  /** Ids of items with the hold attribute. */
  readonly held = new Set<string>();

  /** @param now DynamoDB's clock, epoch milliseconds */
  constructor(model: ExpiryModel, now: () => number) {
    this.#model = model;
    this.#now = now;
  }

  /**
   * @param shard by window, that its writer stamps
   * @param stampedFor a TTL of the window that its writer stamps
   */
  write(id: string, ttl: number, shard = 0, stampedFor = ttl): void {
    this.#remove(id);
    const { granularitySeconds, indexedBy } = this.#model;
    const start = windowStart(indexedBy === 'second' ? ttl : stampedFor, granularitySeconds);
    const key = indexedBy === 'second' ? start : windowKey(start, granularitySeconds, shard);
    const window = this.#windows.get(key) ?? new Map<string, number>();
    this.#windows.set(key, window.set(id, ttl));
    this.#windowOf.set(id, key);
  }

  /** Deletes an item if it is expired at the cutoff (epoch seconds). */
  deleteIfExpired(key: ItemKey, cutoff: number): Outcome {
    const id = idOf(key);
    const ttl = this.#windows.get(this.#windowOf.get(id) ?? '')?.get(id);
    if (ttl === undefined) return 'notFound';
    if (ttl > cutoff) return 'renewed';
    if (this.held.has(id)) return 'held';
    this.#remove(id);
    return 'deleted';
  }

  ids(): string[] {
    return [...this.#windowOf.keys()].sort();
  }

  /** Reads a key as a query of the index does: in the order of TTL, a limited number, from a position on. */
  readonly readIndex: ReadIndex = async ({ value }, { from, upTo }, startKey, limit) => {
    const all = [...(this.#windows.get(value) ?? [])]
      .filter(([, ttl]) => ttl >= from && ttl <= upTo)
      .sort(([oneId, one], [otherId, other]) => one - other || (oneId < otherId ? -1 : 1));
    const start = startKey === null ? 0 : all.findIndex(([id]) => id === idOf(startKey)) + 1;
    const page = all.slice(start, start + limit);
    const entries = page.map(([id, ttl]): ExpiredKey => ({ key: { id: { S: id } }, ttl }));
    return {
      entries,
      positions: entries.map(entry => entry.key),
      more: start + limit < all.length,
      readAt: Math.floor(this.#now() / 1000),
    };
  };

  readonly readHeld: ReadHeld = async entries =>
    new Set(entries.filter(({ key }) => this.held.has(idOf(key))));

  #remove(id: string): void {
    const key = this.#windowOf.get(id);
    if (key === undefined) return;
    this.#windowOf.delete(id);
    this.#windows.get(key)?.delete(id);
  }
}

export function idOf(key: ItemKey): string {
  const { id } = key;
  return id && 'S' in id ? id.S : '';
}
