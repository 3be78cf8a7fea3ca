/** @jest-environment ./test/support/dynamodb-environment.ts */
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes } from '../../../expiry/attributes.ts';
import { expiryModel } from '../../../expiry/model.ts';
import { withExpiry } from '../../../expiry/update.ts';
import { segmentBackfill } from '../../../functions/backfill-segment/handler.ts';
import { InvalidEnvironmentError } from '../../../functions/runtime/errors.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import type { SegmentProgress } from '../../../statemachine/backfill-contract.ts';
import { NO_BACKFILL_COUNTS, sumOfItems } from '../../../statemachine/backfill-counts.ts';
import { createExpiringTable, type ExpiringTable } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const NOW = Math.floor(Date.now() / 1000);

const BEGUN: SegmentProgress = {
  segment: 0,
  segments: 1,
  dryRun: false,
  writesPerSecond: 1000,
  position: null,
  steps: 0,
  counts: NO_BACKFILL_COUNTS,
};

/** One segment to its end, with something done before each write reaches DynamoDB. */
async function backfill(
  table: ExpiringTable,
  progress: Partial<SegmentProgress> = {},
  beforeWrite: (input: {
    readonly Key?: Record<string, unknown> | undefined;
  }) => Promise<unknown> = async () => undefined,
) {
  const documents = {
    async send(command: Parameters<Documents['send']>[0]) {
      if (command instanceof UpdateCommand) await beforeWrite(command.input);
      return table.documents.send(command);
    },
  } as unknown as Documents;
  const runtime = { ...table.runtime, documents };
  const { result } = await segmentBackfill({ progress: { ...BEGUN, ...progress }, retries: 0 }, runtime);
  if (result === null) throw new Error('expected the segment to be done with in one call');
  expect(sumOfItems(result.counts)).toBe(result.counts.scanned);
  return result;
}

const byId = (items: readonly Record<string, unknown>[]) =>
  Object.fromEntries(items.map(({ id, expirationWindow }) => [String(id), expirationWindow]));

test('items of every kind come to what they should, and the second time all is right', async () => {
  const table = await createExpiringTable(dynamo.client, { shards: 3, granularityMinutes: 5 });
  const { model } = table.settings;
  const right = (id: string, expiresAt: number) => ({
    id,
    ...expiryAttributes(model, { id }, { expiresAt }),
  });
  const { expirationWindow: otherGranularity } = expiryAttributes(
    expiryModel({ partitionKey: 'id' }),
    { id: 'x' },
    { expiresAt: NOW + 90 },
  );
  await table.put([
    right('right', NOW + 60),
    { id: 'unstamped', ttl: NOW + 60, other: 'kept' },
    { id: 'long expired', ttl: NOW - 86_400 },
    { id: 'with a fraction', ttl: NOW + 0.5 },
    { id: 'granularity', ttl: NOW + 90, expirationWindow: otherGranularity },
    { id: 'no ttl' },
    { id: 'milliseconds', ttl: (NOW + 60) * 1000 },
    { id: 'negative', ttl: -5 },
    { id: 'zero', ttl: 0 },
    { id: 'too far', ttl: NOW + 21 * 365 * 86_400 },
  ]);
  const dry = await backfill(table, { dryRun: true });
  expect(dry.counts).toMatchObject({ scanned: 10, toStamp: 4, stamped: 0, rightAlready: 1 });
  expect(byId(await table.scan())['unstamped']).toBeUndefined();

  const counted = { scanned: 10, withoutTtl: 1, changedMeanwhile: 0, failed: 0, toStamp: 0 };
  const refused = { notNumber: 0, negative: 1, tooOld: 1, milliseconds: 1, tooFarAhead: 1 };
  expect((await backfill(table)).counts).toEqual({ ...counted, stamped: 4, rightAlready: 1, refused });
  expect((await backfill(table)).counts).toEqual({ ...counted, stamped: 0, rightAlready: 5, refused });

  const items = await table.scan();
  expect(byId(items)).toEqual({
    ...Object.fromEntries(
      ['no ttl', 'milliseconds', 'negative', 'zero', 'too far'].map(id => [id, undefined]),
    ),
    ...byId([
      right('right', NOW + 60),
      right('unstamped', NOW + 60),
      right('long expired', NOW - 86_400),
      right('with a fraction', NOW),
      right('granularity', NOW + 90),
    ]),
  });
  expect(items.find(({ id }) => id === 'unstamped')).toMatchObject({ other: 'kept' });
});

test('a TTL that is a String is refused where no index forbids it', async () => {
  const table = await createExpiringTable(dynamo.client);
  // The index of this table is on another attribute than the model's.
  const model = expiryModel({ partitionKey: 'id', ttlAttribute: 'expires' });
  await table.put([{ id: 'text', expires: `${NOW}` }]);
  const other = { ...table, runtime: { ...table.runtime, settings: { ...table.settings, model } } };
  expect((await backfill(other)).counts.refused).toMatchObject({ notNumber: 1 });
});

test.each([
  ['S', 'a', 'b'],
  ['N', 1, 12_345_678_901_234],
  ['B', Buffer.from([1]), Buffer.from([255, 0])],
] as const)('keys of type %s, and a sort key, over several positions', async (type, one, other) => {
  const table = await createExpiringTable(dynamo.client, {
    partitionKeyType: type,
    sortKey: 'at',
    sortKeyType: type,
    shards: 5,
  });
  const keys = [one, other].flatMap(id => [one, other].map(at => ({ id, at })));
  await table.put(keys.map(key => ({ ...key, ttl: NOW + 60 })));
  // One item a batch, so that each is a position to go on from.
  const progress = { ...BEGUN, writesPerSecond: 0.1 };
  const clock = (() => {
    let now = Date.now();
    return () => (now += 40_000);
  })();
  let answer = await segmentBackfill({ progress, retries: 0 }, { ...table.runtime, clock });
  let calls = 1;
  for (; answer.next === 'scan' && calls < 20; calls += 1) {
    answer = await segmentBackfill({ progress: answer.progress, retries: 0 }, { ...table.runtime, clock });
  }
  expect(calls).toBeGreaterThan(2);
  expect(answer.result).toMatchObject({ complete: true, counts: { scanned: 4, stamped: 4 } });
  const { model } = table.settings;
  for (const item of await table.scan()) {
    const { expirationWindow } = expiryAttributes(model, item, { expiresAt: NOW + 60 });
    expect(item['expirationWindow']).toBe(expirationWindow);
  }
});

test('all segments together read every item once', async () => {
  const table = await createExpiringTable(dynamo.client);
  await table.put(Array.from({ length: 200 }, (_unused, index) => ({ id: `${index}`, ttl: NOW + index })));
  const results = await Promise.all([0, 1, 2, 3].map(segment => backfill(table, { segment, segments: 4 })));
  expect(results.map(({ counts }) => counts.stamped).reduce((sum, count) => sum + count)).toBe(200);
  expect(results.filter(({ counts }) => counts.scanned > 0).length).toBeGreaterThan(1);
});

describe('between the read and the write somebody else', () => {
  const LATER = NOW + 7200;
  let table: ExpiringTable;
  beforeEach(async () => {
    table = await createExpiringTable(dynamo.client);
    await table.put([{ id: 'a', ttl: NOW + 60 }]);
  });
  const Key = { id: 'a' };
  const tableName = () => ({ TableName: table.settings.tableName, Key });

  test('renews the item, with its window: both stay', async () => {
    const { model } = table.settings;
    const renewal = () => withExpiry(model, tableName(), { expiresAt: LATER });
    const { counts } = await backfill(table, {}, () => table.documents.send(new UpdateCommand(renewal())));
    expect(counts).toMatchObject({ scanned: 1, stamped: 0, changedMeanwhile: 1 });
    const [item] = await table.scan();
    expect(item).toEqual({ id: 'a', ...wrapped(expiryAttributes(model, Key, { expiresAt: LATER })) });
  });

  test('renews the item and knows of no windows: it has none', async () => {
    const { counts } = await backfill(table, {}, () =>
      table.documents.send(
        new UpdateCommand({
          ...tableName(),
          UpdateExpression: 'SET #ttl = :later',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':later': LATER },
        }),
      ),
    );
    expect(counts).toMatchObject({ changedMeanwhile: 1 });
    expect(await table.scan()).toEqual([{ id: 'a', ...wrapped({ ttl: LATER }) }]);
  });

  test('deletes the item: it is not made anew', async () => {
    const { counts } = await backfill(table, {}, () => table.documents.send(new DeleteCommand(tableName())));
    expect(counts).toMatchObject({ changedMeanwhile: 1 });
    expect(await table.scan()).toEqual([]);
  });
});

/** As the client of the functions reads it. */
function wrapped(item: Record<string, unknown>) {
  const { ttl, ...others } = item;
  return { ...others, ttl: expect.objectContaining({ value: String(ttl) }) };
}

test('an item that DynamoDB will not write is told and counted, and the others are written', async () => {
  const table = await createExpiringTable(dynamo.client);
  // 400 KB is the most: there is no room for a window.
  const full = 400 * 1024 - 'id'.length - 'full'.length - 'ttl'.length - 10 - 'x'.length;
  await table.put([{ id: 'other', ttl: NOW + 60 }]);
  await table.put([{ id: 'full', ttl: NOW + 60, x: 'x'.repeat(full) }]);
  const told: unknown[] = [];
  const logger = { ...table.runtime.logger, error: (...line: unknown[]) => void told.push(line) };
  const { counts } = await backfill({ ...table, runtime: { ...table.runtime, logger } });
  expect(counts).toMatchObject({ scanned: 2, stamped: 1, failed: 1 });
  expect(told).toEqual([['cannot stamp', expect.objectContaining({ key: { id: { S: 'full' } } })]]);
});

test('a table that is indexed by second is refused', async () => {
  const table = await createExpiringTable(dynamo.client);
  const model = expiryModel({ partitionKey: 'id', indexedBy: 'second' as 'window' | 'second' });
  const settings = { ...table.settings, model };
  expect(() => segmentBackfill({ progress: BEGUN, retries: 0 }, { ...table.runtime, settings })).toThrow(
    InvalidEnvironmentError,
  );
});
