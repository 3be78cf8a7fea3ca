/** The decisions of `npx precise-ttl adopt`: all are made from data that was read, before anything is changed. */
import type {
  AttributeValue,
  GlobalSecondaryIndexDescription,
  TableDescription,
  TimeToLiveDescription,
} from '@aws-sdk/client-dynamodb';
import { DEFAULT_INDEXED_BY, DEFAULT_WINDOW_ATTRIBUTE, type IndexedBy } from '../expiry/model.ts';
import { checkConfig } from '../stacks/config/config.ts';
import { type KeyType, PROPS, propsOfSettings } from '../stacks/config/props.ts';
import { wrong } from './command.ts';
import { looksLikeExpiry } from './faults.ts';
import { namesOf, type StoredItem, typesOf } from './whole-table.ts';

export interface Wish {
  readonly by: IndexedBy;
  readonly 'ttl-attribute': string | undefined;
  readonly 'index-name': string | undefined;
}

export interface Reading {
  readonly region: string;
  readonly table: TableDescription;
  readonly ttl: TimeToLiveDescription;
  readonly items: readonly StoredItem[];
  readonly isAll: boolean;
  /** Epoch seconds. */
  readonly now: number;
  readonly isLocal: boolean;
}

export type AdoptionPlan = ReturnType<typeof planAdoption>;

type IndexKeys = readonly { readonly name: string; readonly type: KeyType }[];

/** Maximum number of global secondary indexes of a table; AWS can raise this quota. Source: DynamoDB quotas. */
const MAX_INDEXES = 20;
/** For each value of `indexedBy`, the read units per second that the index of a provisioned table needs for the queries of a tick. */
const READ_UNITS = { second: 25, window: 5 } as const;

export function planAdoption(reading: Reading, wish: Wish) {
  const { table, ttl, items, region, isLocal } = reading;
  const isOff = (ttl.TimeToLiveStatus ?? 'DISABLED') === 'DISABLED';
  if (isOff && table.MultiRegionConsistency === 'STRONG') {
    const got = 'a global table with strong consistency (MRSC)';
    throw wrong('table', 'one that can have native TTL, the backstop', got, 'Adopt another one.');
  }
  const { name: ttlAttribute, isGuess } = chooseAttribute(reading, wish);
  const ttlKey = { name: ttlAttribute, type: 'N' } as const;
  const window = { name: DEFAULT_WINDOW_ATTRIBUTE, type: 'S' } as const;
  const keys: IndexKeys = wish.by === 'second' ? [ttlKey] : [window, ttlKey];
  const { indexName, index } = planIndex(table, keys, wish);
  const configuration = propsOf(table, ttlAttribute, wish.by, indexName);
  checkConfig({ region, tables: [configuration] });
  const share = items.filter(item => item[ttlAttribute]?.N !== undefined).length / (items.length || 1);
  const writes = (table.ProvisionedThroughput?.WriteCapacityUnits ?? 0) * (share || 1);
  const isOnDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const throughput = {
    ReadCapacityUnits: READ_UNITS[wish.by],
    WriteCapacityUnits: Math.max(1, Math.ceil(writes)),
  };
  return {
    ...{ ttlAttribute, isGuess, indexName, keys, index, configuration },
    throughput: isOnDemand ? undefined : throughput,
    nativeTtl: isOff ? (isLocal ? 'left off' : 'turn on') : 'none',
  } as const;
}

/** Chooses the TTL attribute. `isGuess`: only its name and values in the sample speak for it, so the user must confirm it. */
function chooseAttribute({ table, ttl, items, now }: Reading, { 'ttl-attribute': wanted }: Wish) {
  const { TimeToLiveStatus: status = 'DISABLED', AttributeName: native } = ttl;
  if (native !== undefined && status !== 'DISABLED') {
    if (wanted !== undefined && wanted !== native) {
      const remedy = 'Leave it out; or turn native TTL off, and run this again when it is DISABLED.';
      throw wrong('--ttl-attribute', `${native}, on which native TTL is ${status}`, wanted, remedy);
    }
    if (status !== 'DISABLING') return { name: native, isGuess: false };
    const remedy = 'It takes up to an hour: run this again when it is DISABLED.';
    throw wrong(`native TTL of ${table.TableName}`, 'it on, or off', status, remedy);
  }
  if (wanted !== undefined) return { name: wanted, isGuess: false };
  const isOne = ([name, value]: [string, AttributeValue]) =>
    looksLikeExpiry(name, value, now) && !namesOf(table.KeySchema).includes(name);
  const seen = items.flatMap(item => Object.entries(item).filter(isOne));
  const names = [...new Set(seen.map(([name]) => name))].sort();
  if (names.length === 1) return { name: `${names[0]}`, isGuess: true };
  const why =
    names.length > 1
      ? `the sample has ${names.join(' and ')}`
      : `native TTL is off, and none of ${items.length} sampled items has an epoch under a name such as ttl or expiresAt`;
  const remedy = `Write --ttl-attribute NAME: ${why}.`;
  throw wrong('--ttl-attribute', 'the attribute with the moment of expiry', undefined, remedy);
}

function planIndex(table: TableDescription, keys: IndexKeys, wish: Wish) {
  const { TableName = '', GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = table;
  const indexes: readonly GlobalSecondaryIndexDescription[] = [
    ...GlobalSecondaryIndexes,
    ...LocalSecondaryIndexes,
  ];
  const typeOf = typesOf(table);
  for (const { name, type } of keys) {
    const [field, was] = [`attribute ${name}`, typeOf(name)];
    if (namesOf(table.KeySchema).includes(name)) {
      const remedy =
        'A key never changes, so an expiry in it could not: keep it in another attribute, and adopt that.';
      throw wrong(field, `one that is no key of ${TableName}`, 'a key', remedy);
    }
    if (was === undefined || was === type) continue;
    const users = indexes.filter(each => namesOf(each.KeySchema).includes(name)).map(each => each.IndexName);
    const remedy = `It has one type in all indexes: delete that one and rewrite the values, or use another attribute.`;
    const got = `${was}, with which it is a key of the index ${users.join(', ')}`;
    throw wrong(field, `the type ${type}`, got, remedy);
  }
  const wanted = `${inWords(keys)}, KEYS_ONLY`;
  const has = ({ KeySchema, Projection, IndexName }: GlobalSecondaryIndexDescription) => {
    const own = namesOf(KeySchema).map(name => ({ name, type: (typeOf(name) ?? 'S') as KeyType }));
    const isLocal = LocalSecondaryIndexes.some(each => each.IndexName === IndexName);
    return `${isLocal ? 'a local index with ' : ''}${inWords(own)}, ${Projection?.ProjectionType}`;
  };
  const indexName = wish['index-name'] ?? PROPS.indexName.byDefault({ indexedBy: wish.by });
  const named = indexes.find(each => each.IndexName === indexName);
  const there =
    named ?? (wish['index-name'] === undefined ? indexes.find(each => has(each) === wanted) : undefined);
  if (there !== undefined) {
    const field = `index ${there.IndexName}`;
    const other =
      "An index's keys cannot be changed: give the new one another --index-name, or delete that one.";
    if (has(there) !== wanted) throw wrong(field, wanted, has(there), other);
    if (there.IndexStatus === 'DELETING')
      throw wrong(field, 'it ACTIVE or CREATING', 'DELETING', 'Run this again when it is gone.');
    const isReady = there.IndexStatus !== 'CREATING' && !there.Backfilling;
    return { indexName: `${there.IndexName}`, index: isReady ? ('none' as const) : ('wait' as const) };
  }
  const busy = GlobalSecondaryIndexes.find(each => each.IndexStatus !== 'ACTIVE' || each.Backfilling);
  const [field, status] = busy
    ? [`index ${busy.IndexName}`, busy.IndexStatus]
    : [`table ${TableName}`, table.TableStatus];
  const later = 'DynamoDB makes one change at a time: run this again when it is ACTIVE.';
  if (busy !== undefined || status !== 'ACTIVE') throw wrong(field, 'it ACTIVE', status, later);
  if (GlobalSecondaryIndexes.length < MAX_INDEXES) return { indexName, index: 'create' as const };
  const remedy =
    'Delete one that nothing reads; if AWS has raised your quota, add it by hand: docs/adopt.md.';
  throw wrong(field, `fewer than ${MAX_INDEXES} global indexes`, GlobalSecondaryIndexes.length, remedy);
}

/** The keys as text, e.g. `expirationWindow (S), ttl (N)`. */
export const inWords = (keys: IndexKeys): string =>
  keys.map(({ name, type }) => `${name} (${type})`).join(', ');

function propsOf(table: TableDescription, ttlAttribute: string, indexedBy: IndexedBy, indexName: string) {
  const { TableName: tableName = '', KeySchema, SSEDescription } = table;
  const [partitionKey = '', sortKey] = namesOf(KeySchema);
  const typeOf = typesOf(table);
  const keyType = (field: string, name = '') =>
    ['N', 'B'].includes(`${typeOf(name)}`) ? { [field]: typeOf(name) } : {};
  const tableKmsKeyArn = SSEDescription?.KMSMasterKeyArn;
  return propsOfSettings({
    ...{ tableName, existingTable: true, partitionKey, ttlAttribute },
    // The roles cannot use the table without its KMS key, and are permitted to use only a key that the configuration names.
    ...(tableKmsKeyArn !== undefined && { tableKmsKeyArn }),
    ...keyType('partitionKeyType', partitionKey),
    ...(sortKey !== undefined && { sortKey, ...keyType('sortKeyType', sortKey) }),
    ...(indexedBy !== DEFAULT_INDEXED_BY && { indexedBy }),
    ...(indexName !== PROPS.indexName.byDefault({ indexedBy }) && { indexName }),
  });
}
