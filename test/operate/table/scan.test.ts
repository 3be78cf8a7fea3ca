/** @jest-environment ./test/support/dynamodb-environment.ts */

import {
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  type ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { ScanProgress } from '../../../operate/options.ts';
import { type Pace, type ScanOptions, scanTable } from '../../../operate/table/scan.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const ITEMS = 5000;
const { client } = useLocalDynamoDb();

beforeAll(async () => {
  await client.send(
    new CreateTableCommand({
      TableName: 'Scanned',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  const batches = Array.from({ length: ITEMS / 25 }, (_unused, batch) =>
    Array.from({ length: 25 }, (_, n) => ({ PutRequest: { Item: { id: { S: `id-${batch * 25 + n}` } } } })),
  );
  for (let from = 0; from < batches.length; from += 10) {
    await Promise.all(
      batches
        .slice(from, from + 10)
        .map(Scanned => client.send(new BatchWriteItemCommand({ RequestItems: { Scanned } }))),
    );
  }
}, 60_000);

function scan(over: Partial<ScanOptions> = {}, dynamoDb = client) {
  const ids: string[] = [];
  const done = scanTable(dynamoDb, {
    tableName: 'Scanned',
    tableArn: '',
    segments: 4,
    readUnitsPerSecond: 40_000,
    itemBytes: 0,
    signal: new AbortController().signal,
    onItem: ({ id }) => ids.push(id?.S ?? ''),
    ...over,
  });
  return { ids, done };
}

test.each([1, 7])('reads each of 5,000 items once, in %i segments', async segments => {
  const { ids, done } = scan({ segments });
  expect((await done).items).toBe(ITEMS);
  expect(new Set(ids).size).toBe(ITEMS);
  expect(ids).toHaveLength(ITEMS);
});

/** A clock whose sleeps end in order without real waiting: each ends after all work before it is done. */
function virtualPace(): Pace {
  let now = 0;
  const sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const wakeNext = () => {
    const [first] = sleeping.sort((one, other) => one.until - other.until);
    if (first === undefined) return;
    sleeping.shift();
    now = Math.max(now, first.until);
    first.wake();
  };
  return {
    now: () => now,
    sleep: milliseconds =>
      new Promise(wake => {
        sleeping.push({ until: now + milliseconds, wake });
        setImmediate(wakeNext);
      }),
  };
}

/**
 * Items that become larger from page to page, with one read unit on average, so that each page costs more than the earlier ones
 * suggest.
 */
function growingItems(perSegment: number): DynamoDBClient {
  const unitsOf = (at: number) => 0.5 + (at + 0.5) / perSegment;
  const send = async ({ input }: ScanCommand) => {
    const from = Number(input.ExclusiveStartKey?.['id']?.N ?? 0);
    const to = Math.min(perSegment, from + (input.Limit ?? 0));
    const read = Array.from({ length: to - from }, (_unused, n) => from + n);
    return {
      Items: read.map(at => ({ id: { S: `${input.Segment}-${at}` } })),
      ConsumedCapacity: { CapacityUnits: read.reduce((sum, at) => sum + unitsOf(at), 0) },
      ...(to < perSegment && { LastEvaluatedKey: { id: { N: String(to) } } }),
    };
  };
  return { send } as unknown as DynamoDBClient;
}

test.each([
  [1, 1],
  [5, 4],
  [100, 4],
  [100, 100],
])(
  'at %i read units a second, %i segments read no faster than that, and hardly slower',
  async (rate, segments) => {
    const ITEMS_IN_ALL = 1600;
    const pace = virtualPace();
    const seen: (ScanProgress & { readonly seconds: number })[] = [];
    const onProgress = (progress: ScanProgress) => seen.push({ ...progress, seconds: pace.now() / 1000 });
    const over = { segments, readUnitsPerSecond: rate, itemBytes: 4096, pace, onProgress };
    const { items, readUnits } = await scan(over, growingItems(ITEMS_IN_ALL / segments)).done;
    expect(items).toBe(ITEMS_IN_ALL);
    expect(readUnits).toBeCloseTo(ITEMS_IN_ALL, 5);
    const pages = seen.map((one, at) => one.readUnits - (seen[at - 1]?.readUnits ?? 0));
    const largest = Math.max(...pages);
    // A page has about as many items as a segment may read in a second, or one item.
    expect(largest).toBeLessThanOrEqual(Math.max(1.5, (2 * rate) / segments));
    for (const one of seen) {
      expect(one.readUnits).toBeLessThanOrEqual(rate * one.seconds + largest * segments + 1e-6);
    }
    expect(pace.now() / 1000 + 1e-6).toBeGreaterThan((readUnits - largest * segments) / rate);
    expect(pace.now() / 1000).toBeLessThan((readUnits / rate) * 1.05 + 1);
  },
);

test('ends when it is told to, with what was read', async () => {
  const controller = new AbortController();
  const { ids, done } = scan({
    readUnitsPerSecond: 4,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  const { items } = await done;
  expect(items).toBeLessThan(ITEMS);
  expect(ids).toHaveLength(items);
});
