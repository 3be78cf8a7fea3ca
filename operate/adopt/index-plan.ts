import { PROPS } from '../../config/props.ts';
import { itemBytes, writeUnits } from '../../cost/item-size.ts';
import { DEFAULT_WINDOW_ATTRIBUTE } from '../../expiry/model.ts';
import { CannotAdoptError } from '../errors.ts';
import type {
  DescribedIndex,
  DescribedTable,
  KeyAttribute,
  Keys,
  Throughput,
} from '../table/describe-table.ts';
import type { Sample, StoredItem } from '../table/sample.ts';
import type { Reading, Wish } from './reading.ts';

/** Global indexes that a table may have, unless AWS has raised the quota. Source: DynamoDB quotas. */
const MAX_INDEXES = 20;

/** The index that the sweep reads, and the step that is left for it. */
export interface IndexPlan extends Keys {
  readonly name: string;
  /** `create` the index; `wait` until DynamoDB has built it; `none` if it is ready. */
  readonly action: 'create' | 'wait' | 'none';
  /** Throughput of the new index of a provisioned table. */
  readonly throughput: Throughput | undefined;
}

/** Plans the index. @throws {CannotAdoptError} when the table can't have such an index, or not now */
export function planIndex(
  table: DescribedTable,
  ttlAttribute: string,
  wish: Wish,
  throughput: Throughput | undefined,
): IndexPlan {
  const keys = indexKeys(ttlAttribute, wish);
  const name = wish.indexName ?? PROPS.indexName.byDefault(wish);
  for (const key of [...keys.partitionKeys, ...keys.sortKeys]) checkAttribute(table, key);

  const fits = (index: DescribedIndex) => differenceOf(index, keys) === undefined;
  const named = table.indexes.find(index => index.name === name);
  const there =
    named && fits(named) ? named : wish.indexName === undefined ? table.indexes.find(fits) : undefined;
  if (there !== undefined) return { ...keys, name: there.name, ...stateOf(there), throughput: undefined };
  if (named !== undefined) {
    throw new CannotAdoptError(
      `index ${name}`,
      `expected ${describeKeys(keys)} and KEYS_ONLY, got one of that name with ${differenceOf(named, keys)}; an ` +
        "index's keys can't be changed: give the new one another name, or delete that one",
    );
  }
  checkBuildable(table);
  return { ...keys, name, action: 'create', throughput };
}

function indexKeys(ttlAttribute: string, { indexedBy }: Wish): Keys {
  const ttl: KeyAttribute = { name: ttlAttribute, type: 'N' };
  return indexedBy === 'second'
    ? { partitionKeys: [ttl], sortKeys: [] }
    : { partitionKeys: [{ name: DEFAULT_WINDOW_ATTRIBUTE, type: 'S' }], sortKeys: [ttl] };
}

function checkAttribute(table: DescribedTable, { name, type }: KeyAttribute): void {
  const role = [table.partitionKey, table.sortKey].find(key => key?.name === name);
  if (role !== undefined) {
    throw new CannotAdoptError(
      `attribute ${name}`,
      `expected one that is no key of ${table.name}, got its ${role === table.sortKey ? 'sort' : 'partition'} ` +
        "key; a key can't be removed from an item nor changed, so its expiry could not either: let the writers keep the expiry in " +
        'another attribute, and adopt that',
    );
  }
  const defined = table.attributeTypes[name];
  if (defined === undefined || defined === type) return;
  const users = table.indexes
    .filter(index => [...index.partitionKeys, ...index.sortKeys].some(key => key.name === name))
    .map(index => index.name);
  throw new CannotAdoptError(
    `attribute ${name}`,
    `expected the type ${type}, got ${defined}, with which it is a key of the index ${users.join(', ')}; an ` +
      `attribute has one type in all indexes of a table: delete that index and write ${name} as ${type === 'N' ? 'a Number of epoch seconds' : 'a String'}, or use another attribute`,
  );
}

/** The first difference between an existing index and the one that the sweep needs; undefined if there is none. */
function differenceOf(index: DescribedIndex, keys: Keys): string | undefined {
  if (index.scope === 'local') return 'the scope local';
  if (describeKeys(index) !== describeKeys(keys)) return describeKeys(index);
  return index.projection === 'KEYS_ONLY' ? undefined : `the projection ${index.projection}`;
}

export function describeKeys({ partitionKeys, sortKeys }: Keys): string {
  const list = (keys: readonly KeyAttribute[]) =>
    keys.map(({ name, type }) => `${name} (${type})`).join(', ');
  return `the partition key ${list(partitionKeys)}${sortKeys.length > 0 ? ` and the sort key ${list(sortKeys)}` : ''}`;
}

function stateOf({ name, status, backfilling }: DescribedIndex): Pick<IndexPlan, 'action'> {
  if (status === 'DELETING') {
    throw new CannotAdoptError(
      `index ${name}`,
      `expected it ACTIVE or CREATING, got DELETING; run this again when it is gone`,
    );
  }
  return { action: status === 'CREATING' || backfilling ? 'wait' : 'none' };
}

/** Checks the limits of DynamoDB before the user is asked. */
function checkBuildable(table: DescribedTable): void {
  const building = table.indexes.find(({ status, backfilling }) => status !== 'ACTIVE' || backfilling);
  if (building !== undefined) {
    throw new CannotAdoptError(
      `index ${building.name}`,
      `expected every index of ${table.name} ACTIVE, got ${building.backfilling ? 'one that is being backfilled' : building.status}; DynamoDB ` +
        'builds one at a time: run this again when it is ACTIVE',
    );
  }
  if (table.status !== 'ACTIVE') {
    throw new CannotAdoptError(
      `table ${table.name}`,
      `expected it ACTIVE, got ${table.status}; run this again when it is ACTIVE`,
    );
  }
  const count = table.indexes.filter(({ scope }) => scope === 'global').length;
  if (count >= MAX_INDEXES) {
    throw new CannotAdoptError(
      `table ${table.name}`,
      `expected at most ${MAX_INDEXES - 1} global indexes, so that one can be added, got ${count}; delete ` +
        'one that nothing reads. If AWS has raised your quota, add the index by hand: docs/adopt.md of precise-ttl',
    );
  }
}

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
