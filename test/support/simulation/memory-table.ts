import { marshall } from '@aws-sdk/util-dynamodb';
import { type DynamoDbUsage, NO_USAGE } from '../../../cost/dynamodb-usage.ts';
import { type AttributeMap, itemBytes, readUnits, writeUnits } from '../../../cost/item-size.ts';
import type { ExpiryModel } from '../../../expiry/model.ts';
import { shardOf } from '../../../expiry/shard.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import type { Journal } from '../../../functions/journal/journal.ts';
import { DEPLOYMENT_ID, rowItem, tableEntry, WATERMARKS_AT } from '../../../functions/journal/layout.ts';
import type { ReadIndex } from '../../../functions/table/index-query.ts';
import type { MemoryJournal } from '../../../lab/fuzz/memory-journal.ts';
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

  /** Reads a key as a query of the index does: in the order of TTL, a limited number, from a position on. */
  readonly readIndex: ReadIndex = async ({ value }, { from, upTo }, startKey, limit) => {
    const window = this.#windows.get(value);
    const entries: ExpiredKey[] = [];
    let more = false;
    const after = startKey && { id: idOf(startKey), ttl: numberOf(startKey, 'ttl') };
    if (window !== undefined) {
      const { ttls, idsOf } = window;
      const first = firstFrom(ttls, Math.max(from, after?.ttl ?? from));
      for (let index = first; !more && index < ttls.length; index += 1) {
        const ttl = ttls[index] ?? Number.POSITIVE_INFINITY;
        if (ttl > upTo) break;
        for (const id of [...(idsOf.get(ttl) ?? [])].sort()) {
          if (after && ttl === after.ttl && id <= after.id) continue;
          more = entries.length === limit;
          if (more) break;
          entries.push({ key: { id: { S: id } }, ttl });
        }
      }
    }
    return {
      entries,
      positions: entries.map(({ key, ttl }): ItemKey => ({ ...key, ttl: { N: String(ttl) } })),
      more,
      readAt: Math.floor(this.#now() / 1000),
    };
  };

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

function numberOf(key: ItemKey, name: string): number {
  const value = key[name];
  return value && 'N' in value ? Number(value.N) : 0;
}

/** What the calls of a journal take, and who is told what they would be billed for. */
export interface BilledJournalOptions {
  readonly onUnits: (units: DynamoDbUsage) => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Milliseconds of each call. */
  readonly callMs: number;
}

/**
 * A journal in memory whose calls take time, and units as DynamoDB bills them: a consistent query of all that the deployment has, and
 * writes of whole items.
 */
export function billedJournal(
  journal: MemoryJournal,
  { onUnits, sleep, callMs }: BilledJournalOptions,
): Journal {
  const call = async <Answer>(work: () => Promise<Answer>, units: () => Partial<DynamoDbUsage>) => {
    await sleep(callMs);
    const answer = await work();
    onUnits({ ...NO_USAGE, ...units() });
    return answer;
  };
  const written = (items: readonly object[]) => ({
    writeUnits: sum(items, item => writeUnits(bytesOf(item))),
  });
  const watermarks = () => written([watermarksItem(journal)]);
  const entryOf = (table: string) => () => written([tableItem(journal, table)]);
  return {
    read: () =>
      call(
        () => journal.read(),
        () => ({ readUnits: readUnits(sum(deploymentItems(journal), bytesOf)) }),
      ),
    writeWatermarks: (...args) => call(() => journal.writeWatermarks(...args), watermarks),
    putRows: async rows => {
      if (rows.length === 0) return;
      await call(
        () => journal.putRows(rows),
        () => written(rows.map(rowItem)),
      );
    },
    takeHandOver: (...args) => call(() => journal.takeHandOver(...args), entryOf(args[0])),
    renewHandOver: (...args) => call(() => journal.renewHandOver(...args), entryOf(args[0])),
    endHandOver: (...args) => call(() => journal.endHandOver(...args), entryOf(args[0])),
    replayed: (...args) => call(() => journal.replayed(...args), watermarks),
    noteThrottled: (table, keys) =>
      call(
        () => journal.noteThrottled(table, keys),
        () => written([{ table, keys }]),
      ),
  };
}

function deploymentItems(journal: MemoryJournal): object[] {
  const { pauses, handOvers } = journal;
  const tables = new Set([pauses, handOvers].flatMap(each => Object.keys(each)));
  return [...[...tables].map(table => tableItem(journal, table)), watermarksItem(journal)];
}

function tableItem({ pauses, handOvers }: MemoryJournal, table: string): object {
  return { id: DEPLOYMENT_ID, at: tableEntry(table), pause: pauses[table], handOver: handOvers[table] };
}

function watermarksItem({ state }: MemoryJournal): object {
  const { tick, tables } = state.watermarks;
  const marks = Object.entries(tables).map(([table, mark]) => [tableEntry(table), mark]);
  return { id: DEPLOYMENT_ID, at: WATERMARKS_AT, tick, ...Object.fromEntries(marks) };
}

const bytesOf = (item: object): number =>
  itemBytes(marshall(item, { removeUndefinedValues: true }) as AttributeMap);

const sum = (items: readonly object[], of: (item: object) => number): number =>
  items.reduce((total: number, item) => total + of(item), 0);
