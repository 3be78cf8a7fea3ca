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
  /** By key of the index. */
  readonly #windows = new Map<string | number, IndexEntries>();
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
    const window = this.#windows.get(key) ?? new IndexEntries();
    this.#windows.set(key, window);
    window.add(id, ttl);
    this.#windowOf.set(id, key);
  }

  /** Deletes an item if it is expired at the cutoff (epoch seconds). */
  deleteIfExpired(key: ItemKey, cutoff: number): Outcome {
    const id = idOf(key);
    const ttl = this.#windows.get(this.#windowOf.get(id) ?? '')?.ttlOf(id);
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
    const after = startKey === null ? undefined : idOf(startKey);
    const { page, more } = this.#windows.get(value)?.read(from, upTo, after, limit) ?? NOTHING;
    const entries = page.map(({ id, ttl }): ExpiredKey => ({ key: { id: { S: id } }, ttl }));
    return {
      entries,
      positions: entries.map(entry => entry.key),
      more,
      readAt: Math.floor(this.#now() / 1000),
    };
  };

  readonly readHeld: ReadHeld = async entries =>
    new Set(entries.filter(({ key }) => this.held.has(idOf(key))));

  #remove(id: string): void {
    const key = this.#windowOf.get(id);
    if (key === undefined) return;
    this.#windowOf.delete(id);
    this.#windows.get(key)?.remove(id);
  }
}

interface Entry {
  readonly id: string;
  readonly ttl: number;
}

const NOTHING = { page: [] as Entry[], more: false };

/** What lies under one key of the index. A million entries are sorted once, and not with each read. */
class IndexEntries {
  readonly #ttls = new Map<string, number>();
  /** In the order of TTL, with some that are gone; undefined when it has to be made anew. */
  #sorted: Entry[] | undefined;
  /** Nothing before is left. */
  #first = 0;

  add(id: string, ttl: number): void {
    this.#ttls.set(id, ttl);
    const last = this.#sorted?.at(-1);
    const entry = { id, ttl };
    if (last === undefined || compare(last, entry) < 0) this.#sorted?.push(entry);
    else this.#sorted = undefined;
  }

  remove(id: string): void {
    this.#ttls.delete(id);
  }

  ttlOf(id: string): number | undefined {
    return this.#ttls.get(id);
  }

  /** A page of the TTLs from..upTo, behind an entry that may be gone; what it was is not known then, and the page is the first. */
  read(from: number, upTo: number, after: string | undefined, limit: number) {
    const sorted = this.#inOrder();
    const afterTtl = after === undefined ? undefined : this.#ttls.get(after);
    const bound = after !== undefined && afterTtl !== undefined ? { id: after, ttl: afterTtl } : undefined;
    let index = this.#first;
    if (bound !== undefined) index = Math.max(index, lowerBound(sorted, bound) + 1);
    else if (index < sorted.length) index = Math.max(index, lowerBound(sorted, { id: '', ttl: from }));
    const page: Entry[] = [];
    for (; index < sorted.length; index += 1) {
      const entry = sorted[index];
      if (entry === undefined || entry.ttl > upTo) break;
      if (this.#ttls.get(entry.id) !== entry.ttl) continue;
      if (page.length === limit) return { page, more: true };
      page.push(entry);
    }
    return { page, more: false };
  }

  #inOrder(): readonly Entry[] {
    if (this.#sorted === undefined) {
      this.#sorted = [...this.#ttls].map(([id, ttl]) => ({ id, ttl })).sort(compare);
      this.#first = 0;
    }
    for (; this.#first < this.#sorted.length; this.#first += 1) {
      const entry = this.#sorted[this.#first];
      if (entry !== undefined && this.#ttls.get(entry.id) === entry.ttl) break;
    }
    return this.#sorted;
  }
}

function compare(one: Entry, other: Entry): number {
  return one.ttl - other.ttl || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** The index of the first that is not before. */
function lowerBound(sorted: readonly Entry[], entry: Entry): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = sorted[middle];
    if (each !== undefined && compare(each, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function idOf(key: ItemKey): string {
  const { id } = key;
  return id && 'S' in id ? id.S : '';
}
