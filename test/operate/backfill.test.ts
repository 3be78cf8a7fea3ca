/** @jest-environment ./test/support/dynamodb-environment.ts */

import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { expiryModel } from '../../expiry/model.ts';
import { withExpiry } from '../../expiry/update.ts';
import { prepareBackfill } from '../../operate/backfill.ts';
import type { BackfillOptions, BackfillResult } from '../../operate/changes.ts';
import { StoppedError } from '../../operate/errors.ts';
import type { Pace } from '../../operate/table/scan.ts';
import { configOf } from '../support/configs.ts';
import {
  createExpiringTable,
  type ExpiringTable,
  type ExpiringTableOptions,
} from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const NOW = Math.floor(Date.now() / 1000);
const NO_COUNTS = {
  ...{ stamped: 0, toStamp: 0, rightAlready: 0, withoutTtl: 0, changedMeanwhile: 0, failed: 0 },
  ...{ notNumber: 0, milliseconds: 0, tooFarAhead: 0, negative: 0, tooOld: 0 },
};

/** Does not wait, and counts the milliseconds that it should have waited. */
function patience(): Pace & { waited: number } {
  return {
    waited: 0,
    now() {
      return this.waited;
    },
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      this.waited += milliseconds;
    },
  };
}

type BeforeWrite = (command: UpdateItemCommand) => Promise<unknown>;

/** DynamoDB Local, with something done before each write reaches it. */
function withWrites(before: BeforeWrite): DynamoDBClient {
  const send = async (command: UpdateItemCommand, options: object) => {
    if (command instanceof UpdateItemCommand) await before(command);
    return dynamo.client.send(command, options);
  };
  return Object.create(dynamo.client, { send: { value: send } }) as DynamoDBClient;
}

interface Run extends Partial<BackfillOptions> {
  readonly props?: Partial<PreciseTtlProps>;
  readonly dynamoDb?: DynamoDBClient;
  readonly pace?: Pace;
}

function prepare({ settings }: Pick<ExpiringTable, 'settings'>, { props, dynamoDb, ...options }: Run = {}) {
  const { tableName } = settings;
  const config = configOf({ tableName, partitionKey: 'id', logKeys: 'full', ...props } as PreciseTtlProps);
  const clients = { dynamoDb: dynamoDb ?? dynamo.client };
  return prepareBackfill({
    config,
    ratePerSecond: 10_000,
    dryRun: false,
    pace: patience(),
    ...options,
    clients,
  });
}

const backfill = async (table: ExpiringTable, run?: Run) => (await prepare(table, run)).apply();

/** A table whose settings in the configuration are the defaults, with some of these. */
const createTable = (options: ExpiringTableOptions = {}) =>
  createExpiringTable(dynamo.client, { granularityMinutes: 1440, shards: 2, ...options });

const windows = async (table: ExpiringTable) =>
  Object.fromEntries((await table.scan()).map(({ id, expirationWindow }) => [String(id), expirationWindow]));

test('items of every kind come to what they should, and the second time all is right', async () => {
  const table = await createTable({ shards: 3, granularityMinutes: 5 });
  const props = { index: { shards: 3, granularityMinutes: 5 } };
  const { model } = table.settings;
  const right = (id: string, expiresAt: number) => ({
    id,
    ...expiryAttributes(model, { id }, { expiresAt }),
  });
  const daily = expiryAttributes(expiryModel({ partitionKey: 'id' }), { id: 'x' }, { expiresAt: NOW + 90 });
  await table.put([
    right('right', NOW + 60),
    { id: 'unstamped', ttl: NOW + 60, other: 'kept' },
    { id: 'long expired', ttl: NOW - 86_400 },
    { id: 'with a fraction', ttl: NOW + 0.5 },
    { id: 'granularity', ttl: NOW + 90, expirationWindow: daily['expirationWindow'] },
    { id: 'no ttl' },
    { id: 'milliseconds', ttl: (NOW + 60) * 1000 },
    { id: 'negative', ttl: -5 },
    { id: 'zero', ttl: 0 },
    { id: 'too far', ttl: NOW + 21 * 365 * 86_400 },
  ]);
  const others = { withoutTtl: 1, milliseconds: 1, negative: 1, tooOld: 1, tooFarAhead: 1 };
  const dry = await backfill(table, { props, dryRun: true });
  expect(dry.counts).toEqual({ ...NO_COUNTS, ...others, toStamp: 4, rightAlready: 1 });
  expect((await windows(table))['unstamped']).toBeUndefined();

  const { tableName } = table.settings;
  expect(await backfill(table, { props })).toEqual({
    ...{ table: tableName, dryRun: false, complete: true, failures: [] },
    counts: { ...NO_COUNTS, ...others, stamped: 4, rightAlready: 1 },
  });
  expect((await backfill(table, { props })).counts).toEqual({ ...NO_COUNTS, ...others, rightAlready: 5 });
  expect(await windows(table)).toEqual({
    ...Object.fromEntries(
      ['no ttl', 'milliseconds', 'negative', 'zero', 'too far'].map(id => [id, undefined]),
    ),
    ...Object.fromEntries(
      [
        right('right', NOW + 60),
        right('unstamped', NOW + 60),
        right('long expired', NOW - 86_400),
        right('with a fraction', NOW),
        right('granularity', NOW + 90),
      ].map(item => [item.id, (item as Record<string, unknown>)['expirationWindow']]),
    ),
  });
  expect((await table.scan()).find(({ id }) => id === 'unstamped')).toMatchObject({ other: 'kept' });
});

test('TTLs that are no Number are refused where no index forbids them', async () => {
  const table = await createTable();
  await table.put([
    { id: 'text', expires: `${NOW}` },
    { id: 'null', expires: null },
    { id: 'looks like a number', expires: { N: `${NOW}` } },
  ]);
  // The index of this table is on another attribute.
  const { counts } = await backfill(table, { props: { ttlAttribute: 'expires' } });
  expect(counts).toEqual({ ...NO_COUNTS, notNumber: 3 });
});

test.each([
  ['S', 'a', 'b'],
  ['N', 1, 12_345_678_901_234],
  ['B', Buffer.from([1]), Buffer.from([255, 0])],
] as const)('keys of type %s, and a sort key', async (type, one, other) => {
  const table = await createTable({ partitionKeyType: type, sortKey: 'at', sortKeyType: type, shards: 5 });
  const keys = [one, other].flatMap(id => [one, other].map(at => ({ id, at })));
  await table.put(keys.map(key => ({ ...key, ttl: NOW + 60 })));
  const { counts } = await backfill(table, {
    props: { partitionKey: { name: 'id', type }, sortKey: { name: 'at', type }, index: { shards: 5 } },
  });
  expect(counts).toEqual({ ...NO_COUNTS, stamped: 4 });
  for (const item of await table.scan()) {
    const { expirationWindow } = expiryAttributes(table.settings.model, item, { expiresAt: NOW + 60 });
    expect(item['expirationWindow']).toBe(expirationWindow);
  }
});

describe('between the read and the write somebody else', () => {
  const LATER = NOW + 7200;
  let table: ExpiringTable;
  beforeEach(async () => {
    table = await createTable();
    await table.put([{ id: 'a', ttl: NOW + 60, expirationWindow: 'wrong' }]);
  });
  const Key = { id: 'a' };
  const target = () => ({ TableName: table.settings.tableName, Key });
  const set = (name: string, value: unknown) =>
    new UpdateCommand({
      ...target(),
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    });
  const meanwhile = async (change: () => UpdateCommand | DeleteCommand) => {
    const dynamoDb = withWrites(() => table.documents.send(change() as UpdateCommand));
    const { counts } = await backfill(table, { dynamoDb });
    expect(counts).toEqual({ ...NO_COUNTS, changedMeanwhile: 1 });
    return (await table.scan()).map(({ ttl, ...item }) => ({ ...item, ttl: Number(String(ttl)) }));
  };

  test('renews the item, with its window: both stay', async () => {
    const { model } = table.settings;
    const renewal = () => new UpdateCommand(withExpiry(model, target(), { expiresAt: LATER }));
    expect(await meanwhile(renewal)).toEqual([
      { ...Key, ...expiryAttributes(model, Key, { expiresAt: LATER }) },
    ]);
  });

  test('renews the item and knows of no windows: the window stays', async () => {
    const renewal = () => set('ttl', LATER);
    expect(await meanwhile(renewal)).toEqual([{ ...Key, ttl: LATER, expirationWindow: 'wrong' }]);
  });

  test('writes another window: it stays', async () => {
    const change = () => set('expirationWindow', 'another');
    expect(await meanwhile(change)).toEqual([{ ...Key, ttl: NOW + 60, expirationWindow: 'another' }]);
  });

  test('deletes the item: it is not made anew', async () => {
    expect(await meanwhile(() => new DeleteCommand(target()))).toEqual([]);
  });
});

describe('of 300 items', () => {
  let table: ExpiringTable;
  beforeEach(async () => {
    table = await createTable();
    await table.put(Array.from({ length: 300 }, (_unused, n) => ({ id: `${n}`, ttl: NOW + 3600 + n })));
  });
  const stamped = async () => (await table.scan()).filter(item => 'expirationWindow' in item).length;

  test('an interruption leaves some; run again it does the rest, and writes nothing twice', async () => {
    const stop = new AbortController();
    const first = await backfill(table, {
      signal: stop.signal,
      onProgress: ({ stamped: done }) => done === 100 && stop.abort(),
    });
    const before = await stamped();
    expect(first).toMatchObject({ complete: false, counts: { stamped: before } });
    expect(before).toBeLessThan(300);
    let writes = 0;
    const dynamoDb = withWrites(async () => {
      writes += 1;
    });
    const { complete, counts } = await backfill(table, { dynamoDb });
    expect({ complete, counts }).toEqual({
      complete: true,
      counts: { ...NO_COUNTS, stamped: 300 - before, rightAlready: before },
    });
    expect(writes).toBe(300 - before);
    expect(await stamped()).toBe(300);
  });

  test('an error ends it with the counts so far', async () => {
    let writes = 0;
    const denied = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    const dynamoDb = withWrites(async () => {
      writes += 1;
      if (writes > 50) throw denied;
    });
    const error = await backfill(table, { dynamoDb }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoppedError);
    const { result, message } = error as StoppedError & { readonly result: BackfillResult };
    expect(message).toContain('dynamodb:UpdateItem: expected the permission for it');
    expect(result).toMatchObject({ complete: false });
    expect(result.counts.stamped).toBeLessThanOrEqual(50);
  });

  test('writes keep to the rate, further attempts too', async () => {
    const pace = patience();
    let writes = 0;
    const throttling = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    const dynamoDb = withWrites(async () => {
      writes += 1;
      if (writes % 3 === 0) throw throttling;
    });
    let throttled = 0;
    const { counts } = await backfill(table, {
      ...{ pace, dynamoDb, ratePerSecond: 100 },
      onProgress: (_counts, times) => {
        throttled = times;
      },
    });
    expect(counts).toEqual({ ...NO_COUNTS, stamped: 300 });
    expect(throttled).toBe(writes - 300);
    expect(pace.waited).toBeGreaterThanOrEqual((writes - 1) * 10);
  });
});

test('what stays throttled, and what DynamoDB refuses, is named and counted; the others are written', async () => {
  const table = await createTable();
  // 400 KB is the most: there is no room for a window.
  const room = 400 * 1024 - 'id'.length - 'full'.length - 'ttl'.length - 10 - 'x'.length;
  for (const item of [{ id: 'other' }, { id: 'full', x: 'x'.repeat(room) }, { id: 'busy' }])
    await table.put([{ ...item, ttl: NOW + 60 }]);
  const throttling = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  let attempts = 0;
  const dynamoDb = withWrites(async ({ input: { Key } }) => {
    if (Key?.['id']?.S !== 'busy') return;
    attempts += 1;
    throw throttling;
  });
  const { counts, failures } = await backfill(table, { dynamoDb });
  expect(attempts).toBe(10);
  expect(counts).toEqual({ ...NO_COUNTS, stamped: 1, failed: 2 });
  expect(new Map(failures.map(({ key, reason }) => [key, reason]))).toEqual(
    new Map([
      ['{"id":{"S":"full"}}', expect.stringContaining('ValidationException: Item size')],
      ['{"id":{"S":"busy"}}', 'ThrottlingException: slow down'],
    ]),
  );
  const hidden = await backfill(table, { dynamoDb, props: { logKeys: 'none' } });
  expect(hidden.failures.map(({ key, reason }) => `${key} ${reason}`).sort()).toEqual([
    'undefined ThrottlingException',
    'undefined ValidationException',
  ]);
});

test('it says how long it takes', async () => {
  const table = await createTable();
  await table.put(Array.from({ length: 100 }, (_unused, n) => ({ id: `${n}`, ttl: NOW })));
  const { facts } = await prepare(table, { ratePerSecond: 5 });
  expect(facts).toMatchObject({ itemCount: 100, ratePerSecond: 5, seconds: 20 });
});

test.each<[string, Partial<PreciseTtlProps>, string]>([
  ['by second', { index: { by: 'second' } }, 'which is by second; nothing is to be done'],
  ['another key', { partitionKey: 'user' }, 'with the key user, as the configuration says, got id; correct'],
  ['no table', { tableName: 'Missing' }, 'table: expected one that exists in'],
])('it is refused for a table with %s', async (_what, props, message) => {
  await expect(prepare(await createTable(), { props })).rejects.toThrow(message);
});
