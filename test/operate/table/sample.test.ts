/** @jest-environment ./test/support/dynamodb-environment.ts */
import { type AttributeValue, BatchWriteItemCommand, CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  classifyTtl,
  countTtl,
  isExpiryName,
  sampleItems,
  type TtlKind,
  ttlCandidates,
} from '../../../operate/table/sample.ts';
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
