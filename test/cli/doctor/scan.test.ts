/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  type ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { Pace } from '../../../cli/doctor/read-rate.ts';
import { type ScanOptions, type ScanProgress, scanTable } from '../../../cli/doctor/scan.ts';
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

/** Sleeps end one after the other, without anybody waiting: each when all that its time allowed before has been done. */
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

/** Items of one read unit each, and DynamoDB's least of half a unit for a page. */
function bigItems(perSegment: number): { readonly client: DynamoDBClient; readonly limits: number[] } {
  const limits: number[] = [];
  const send = async ({ input }: ScanCommand) => {
    const from = Number(input.ExclusiveStartKey?.['id']?.N ?? 0);
    const to = Math.min(perSegment, from + (input.Limit ?? 0));
    limits.push(input.Limit ?? 0);
    return {
      Items: Array.from({ length: to - from }, (_unused, n) => ({
        id: { S: `${input.Segment}-${from + n}` },
      })),
      ConsumedCapacity: { CapacityUnits: Math.max(0.5, to - from) },
      ...(to < perSegment && { LastEvaluatedKey: { id: { N: String(to) } } }),
    };
  };
  return { client: { send } as unknown as DynamoDBClient, limits };
}

test.each([
  [1, 1],
  [5, 4],
  [100, 4],
  [100, 100],
])(
  'at %i read units a second, %i segments read no faster than that, and hardly slower',
  async (rate, segments) => {
    const perSegment = 1600 / segments;
    const { client: fake, limits } = bigItems(perSegment);
    const pace = virtualPace();
    const seen: (ScanProgress & { readonly seconds: number })[] = [];
    // Of which DynamoDB says that they are small: the first pages cost more than was thought.
    const { done } = scan(
      {
        segments,
        readUnitsPerSecond: rate,
        itemBytes: 4096,
        pace,
        onProgress: progress => seen.push({ ...progress, seconds: pace.now() / 1000 }),
      },
      fake,
    );
    const { items } = await done;
    expect(items).toBe(segments * perSegment);
    const largestPage = Math.max(...limits);
    for (const { seconds, readUnits } of seen) {
      expect(readUnits).toBeLessThanOrEqual(rate * seconds + largestPage * segments);
    }
    // A page is about what a segment may read in a second.
    expect(largestPage).toBeLessThanOrEqual(Math.max(1, (2 * rate) / segments));
    expect(pace.now() / 1000).toBeGreaterThan((items - largestPage * segments) / rate - 1);
    expect(pace.now() / 1000).toBeLessThan((items / rate) * 1.05 + 1);
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

test('a table that is not there is the error of the SDK', async () => {
  await expect(scan({ tableName: 'None' }).done).rejects.toThrow('non-existent table');
});
