import { itemBytes, writeUnits } from '../../cost/item-size.ts';
import type { Throughput } from '../table/describe-table.ts';
import type { Sample, StoredItem } from '../table/sample.ts';
import type { IndexPlan } from './index-plan.ts';
import type { Reading } from './reading.ts';

/** Read units per second of a provisioned table's index: enough for the queries of a tick. */
const READ_UNITS = { second: 25, window: 5 } as const;

/** Capacity that the index takes, estimated from the sample. */
export interface IndexUnits {
  /** Items that go into the index. */
  readonly entries: number;
  /** Write units for building the index. */
  readonly buildUnits: number;
  /** The least seconds that building takes with provisioned throughput; undefined on demand. */
  readonly buildSeconds: number | undefined;
  /** Write units to delete one expired item and its entry. */
  readonly deleteUnits: number;
}

/** The capacity for an index. @param index from `planIndex`; an existing one needs none for building */
export function unitsOfIndex({ table, sample }: Reading, index: IndexPlan): IndexUnits {
  const keys = [...index.partitionKeys, ...index.sortKeys];
  const inIndex = sample.items.filter(item =>
    keys.every(({ name, type }) => item[name]?.[type] !== undefined),
  );
  const entries = sample.complete
    ? inIndex.length
    : Math.round(
        (Math.max(table.itemCount, sample.items.length) * inIndex.length) / Math.max(1, sample.items.length),
      );
  const names = [...keys, table.partitionKey, ...(table.sortKey ? [table.sortKey] : [])].map(
    ({ name }) => name,
  );
  const entryUnits = mean(inIndex.map(item => writeUnits(itemBytes(only(item, names)))));
  const itemUnits = mean(sample.items.map(item => writeUnits(itemBytes(item))));
  const { throughput } = index;
  const buildUnits = index.action === 'none' ? 0 : Math.round(entries * entryUnits);
  return {
    entries,
    buildUnits,
    buildSeconds: throughput && Math.ceil(buildUnits / throughput.writeUnits),
    deleteUnits: itemUnits + entryUnits,
  };
}

/** The share of sampled items whose attribute is a Number; all of these enter the index, by window too. */
export function shareWithTtl({ items }: Sample, ttlAttribute: string): number {
  return items.filter(item => item[ttlAttribute]?.N !== undefined).length / Math.max(1, items.length);
}

/**
 * The throughput for a provisioned table's index: the table's write units times the share of items with a TTL, because a slow
 * index throttles the writes to its table.
 *
 * @param share of items that have a TTL; 1 if it is not known
 * @returns undefined on demand
 */
export function shareOfThroughput(
  table: Reading['table'],
  share: number,
  wish: {
    readonly indexedBy: keyof typeof READ_UNITS;
    readonly indexReadUnits: number | undefined;
    readonly indexWriteUnits: number | undefined;
  },
): Throughput | undefined {
  if (table.throughput === undefined) return undefined;
  return {
    readUnits: wish.indexReadUnits ?? READ_UNITS[wish.indexedBy],
    writeUnits: wish.indexWriteUnits ?? Math.max(1, Math.ceil(table.throughput.writeUnits * share)),
  };
}

const only = (item: StoredItem, names: readonly string[]): StoredItem =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

/** Mean of write units; one unit if there are no values. */
const mean = (units: readonly number[]): number =>
  units.length === 0 ? 1 : units.reduce((sum, each) => sum + each, 0) / units.length;
