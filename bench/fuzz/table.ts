import type { Clock } from 'stepfunctions-emulator';
import type { EventImage } from '../../expiry/expiry-event.ts';
import type { SweepSettings } from '../../functions/runtime/environment.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { itemText } from '../ledger/item.ts';

export type Who = 'user' | 'sweep';

export interface Change {
  readonly id: string;
  readonly key: ItemKey;
  readonly by: Who;
  /** Time of the change by `MemoryTableOptions.clock`, epoch milliseconds. */
  readonly at: number;
  /** Time of the change by the clock of one of DynamoDB's servers, epoch milliseconds: the stream's record has this time. */
  readonly recordedAt: number;
  readonly eventId: string;
  readonly before: EventImage | undefined;
  readonly after: EventImage | undefined;
}

export interface MemoryTableOptions {
  readonly settings: Pick<SweepSettings, 'tableName' | 'indexName' | 'model'>;
  readonly clock: Clock;
  /** Returns the time of one of DynamoDB's servers when `clock` shows the time `at`. Both times are epoch milliseconds. */
  readonly asServerHasIt: (at: number) => number;
  readonly indexLagMs: () => number;
}

/** A position in the index: TTL (epoch seconds) and id of an entry. */
export interface Position {
  readonly ttl: number;
  readonly id: string;
}

interface Entry extends Position {
  readonly key: ItemKey;
  readonly partition: string;
  isGone: boolean;
}

interface Partition {
  entries: Entry[];
  isSorted: boolean;
}

/** A table with its expiry index, in memory: items in DynamoDB's JSON, an index that is delayed, and listeners for every change. */
export class MemoryTable {
  readonly options: MemoryTableOptions;
  readonly keyNames: readonly string[];
  readonly listeners: ((change: Change) => void)[] = [];
  readonly #items = new Map<string, EventImage>();
  readonly #partitions = new Map<string, Partition>();
  readonly #indexed = new Map<string, Entry>();
  /** Id → time at which the item's last change reaches the index. Changes of an item reach the index in order. */
  readonly #indexedAt = new Map<string, number>();
  #changes = 0;
  swept = 0;

  constructor(options: MemoryTableOptions) {
    this.options = options;
    this.keyNames = keyAttributeNames(options.settings.model);
  }

  keyOf(image: EventImage): ItemKey {
    return Object.fromEntries(this.keyNames.map(name => [name, image[name]])) as ItemKey;
  }

  idOf(image: EventImage): string {
    return itemText(this.keyOf(image));
  }

  ttlOf(image: EventImage): number | undefined {
    const ttl = image[this.options.settings.model.ttlAttribute];
    return ttl !== undefined && 'N' in ttl ? Number(ttl.N) : undefined;
  }

  windowOf(image: EventImage): string | undefined {
    const { windowAttribute } = this.options.settings.model;
    const window = windowAttribute === undefined ? undefined : image[windowAttribute];
    return window !== undefined && 'S' in window ? window.S : undefined;
  }

  get images(): ReadonlyMap<string, EventImage> {
    return this.#items;
  }

  put(image: EventImage): void {
    this.#change(this.idOf(image), image, 'user');
  }

  delete(id: string, by: Who): void {
    if (this.#items.has(id)) this.#change(id, undefined, by);
  }

  /**
   * Returns entries of one partition of the index, sorted by TTL.
   * @param after only entries after this position in the index are returned
   */
  query(
    partition: string,
    { from, upTo }: { readonly from: number; readonly upTo: number },
    after: Position | undefined,
    limit: number,
  ): { readonly entries: readonly Entry[]; readonly isEnd: boolean } {
    const found = this.#partitions.get(partition);
    if (found === undefined) return { entries: [], isEnd: true };
    if (!found.isSorted) {
      found.entries = found.entries.filter(({ isGone }) => !isGone).sort(byTtl);
      found.isSorted = true;
    }
    const entries: Entry[] = [];
    for (const entry of found.entries) {
      if (entry.isGone || entry.ttl < from || (after !== undefined && byTtl(entry, after) <= 0)) continue;
      if (entry.ttl > upTo) break;
      // As in DynamoDB, a query that returns `limit` entries is never the last query, even if no entry follows.
      entries.push(entry);
      if (entries.length === limit) return { entries, isEnd: false };
    }
    return { entries, isEnd: true };
  }

  #change(id: string, after: EventImage | undefined, by: Who): void {
    const { clock, asServerHasIt } = this.options;
    const before = this.#items.get(id);
    const key = this.keyOf(after ?? before ?? {});
    const at = clock.now();
    if (after === undefined) this.#items.delete(id);
    else this.#items.set(id, after);
    this.#changes += 1;
    if (by === 'sweep') this.swept += 1;
    const eventId = `event-${this.#changes}`;
    const change = { id, key, by, at, recordedAt: asServerHasIt(at), eventId, before, after };
    for (const listener of this.listeners) listener(change);
    this.#updateIndex(id, after, at);
  }

  #updateIndex(id: string, after: EventImage | undefined, at: number): void {
    const { clock, indexLagMs } = this.options;
    const due = Math.max(this.#indexedAt.get(id) ?? 0, at + indexLagMs());
    const apply = () => {
      const former = this.#indexed.get(id);
      if (former !== undefined) former.isGone = true;
      this.#indexed.delete(id);
      const entry = after && this.#entryOf(id, after);
      if (entry === undefined) return;
      this.#indexed.set(id, entry);
      const partition = this.#partitions.get(entry.partition) ?? { entries: [], isSorted: true };
      this.#partitions.set(entry.partition, partition);
      partition.entries.push(entry);
      partition.isSorted = false;
    };
    if (due <= at) {
      apply();
      return;
    }
    this.#indexedAt.set(id, due);
    clock.schedule(due - at, apply);
  }

  #entryOf(id: string, image: EventImage): Entry | undefined {
    const ttl = this.ttlOf(image);
    const isByWindow = this.options.settings.model.indexedBy === 'window';
    const partition = isByWindow ? this.windowOf(image) : String(ttl);
    if (ttl === undefined || partition === undefined) return undefined;
    return { id, key: this.keyOf(image), ttl, partition, isGone: false };
  }
}

function byTtl(one: Position, other: Position): number {
  return one.ttl - other.ttl || (one.id === other.id ? 0 : one.id < other.id ? -1 : 1);
}
