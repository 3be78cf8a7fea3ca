/** @jest-environment ./test/support/dynamodb-environment.ts */

import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  type ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { ScanProgress } from '../../../operate/options.ts';
import {
  classifyTtl,
  countTtl,
  isExpiryName,
  sampleItems,
  type TtlKind,
  ttlCandidates,
} from '../../../operate/table/sample.ts';
import { type Pace, type ScanOptions, scanTable } from '../../../operate/table/scan.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const NOW = 1_795_000_000;
const FIVE_YEARS = 5 * 365 * 86_400;
const TWENTY_YEARS = 20 * 365 * 86_400;

test.each<[AttributeValue | undefined, TtlKind]>([
  [undefined, 'missing'],
  [{ N: String(NOW) }, 'seconds'],
  [{ N: '1.795E9' }, 'seconds'],
  [{ S: String(NOW) }, 'string'],
  [{ NULL: true }, 'otherType'],
  [{ N: '-1' }, 'negative'],
  [{ N: String(NOW - FIVE_YEARS) }, 'tooOld'],
  [{ N: String(NOW - FIVE_YEARS + 1) }, 'seconds'],
  [{ N: String(NOW + TWENTY_YEARS) }, 'seconds'],
  [{ N: String(NOW + TWENTY_YEARS + 1) }, 'tooFarAhead'],
  [{ N: '1000000000000' }, 'milliseconds'],
  [{ N: '99999999999999' }, 'milliseconds'],
  [{ N: '100000000000000' }, 'tooFarAhead'],
  [{ N: `${NOW}.5` }, 'fraction'],
  // JavaScript rounds this number to a whole one.
  [{ N: `${NOW}.000000000000000001` }, 'fraction'],
])('%j is %s', (value, expected) => {
  expect(classifyTtl(value, NOW)).toBe(expected);
});

test('counts every item once', () => {
  const items = [{ ttl: { N: String(NOW) } }, { ttl: { S: 'x' } }, {}, { other: { N: '1' } }];
  expect(countTtl(items, 'ttl', NOW)).toMatchObject({ seconds: 1, string: 1, missing: 2, milliseconds: 0 });
});

test.each(['ttl', 'TimeToLive', 'expires', 'expiresAt', 'expiration', 'expiry-date', 'deleteAfter'])(
  '%s is a name of an expiry',
  name => {
    expect(isExpiryName(name)).toBe(true);
  },
);

test.each(['id', 'createdAt', 'expirationWindow', 'battle', 'expiredItems', 'end'])(
  '%s is no name of an expiry',
  name => expect(isExpiryName(name)).toBe(false),
);

test('candidates look like epochs, and those with the most seconds come first', () => {
  const at = (value: AttributeValue) => value;
  const items = [
    { id: { S: 'a' }, ttl: at({ N: '3600' }), expires: at({ N: String(NOW) }) },
    { id: { S: 'b' }, expiresAt: at({ N: String(NOW) }), createdAt: at({ N: String(NOW) }) },
    { id: { S: 'c' }, expires: at({ N: String(NOW) }), expiry: at({ S: `${NOW}000` }) },
    { id: { S: 'd' }, expiration: at({ S: 'never' }) },
  ];
  // A ttl of 3600 is a duration, and a text without a number is not a time.
  expect(ttlCandidates(items, NOW).map(({ attribute }) => attribute)).toEqual([
    'expires',
    'expiresAt',
    'expiry',
  ]);
});

describe('a sample', () => {
  const { client } = useLocalDynamoDb();
  const table = { tableName: 'Sampled', tableArn: '' };

  beforeAll(async () => {
    await client.send(
      new CreateTableCommand({
        TableName: 'Sampled',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      }),
    );
    for (let from = 0; from < 100; from += 25) {
      const Sampled = Array.from({ length: 25 }, (_, n) => ({
        PutRequest: { Item: { id: { S: `id-${from + n}` } } },
      }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { Sampled } }));
    }
  });

  test('of a small table is all of it', async () => {
    const { items, complete } = await sampleItems(client, table);
    expect({ items: new Set(items.map(({ id }) => id?.S)).size, complete }).toEqual({
      items: 100,
      complete: true,
    });
  });

  test('has at most as many items as were wanted, and says that there are more', async () => {
    const { items, complete } = await sampleItems(client, { ...table, items: 16 });
    expect(items.length).toBeLessThanOrEqual(16);
    expect(items.length).toBeGreaterThan(2);
    expect(complete).toBe(false);
  });

  test('ends when it has read enough', async () => {
    const { items, complete } = await sampleItems(client, { ...table, readUnits: 0.5 });
    expect(items.length).toBeLessThan(100);
    expect(complete).toBe(false);
  });
});

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
