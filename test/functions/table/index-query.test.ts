import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import { earliestTtl, indexReader, type ReadIndex } from '../../../functions/table/index-query.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import { settingsOf } from '../../support/sweep-settings.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** What is asked of DynamoDB, and what a page becomes. */
async function ask(props: Omit<ExpiryModelProps, 'partitionKey'>, ...query: Parameters<ReadIndex>) {
  const asked: unknown[] = [];
  const documents = {
    send: async (command: unknown) => {
      if (command instanceof QueryCommand) asked.push(command.input);
      return { Items: [{ id: 'a', ttl: MINUTE }] };
    },
  } as unknown as Documents;
  const settings = settingsOf({ tableName: 'Sessions', partitionKey: 'id', ...props });
  return { page: await indexReader(documents, settings)(...query), asked };
}

const RANGE = { from: MINUTE, upTo: MINUTE + 59 };
const START_KEY = { id: { S: 'a' }, ttl: { N: String(MINUTE) } };

test('by window a query asks for a range of TTLs', async () => {
  const { asked } = await ask({}, { value: 'w' }, RANGE, START_KEY, 7);
  expect(asked).toEqual([
    expect.objectContaining({
      IndexName: 'expirationWindowIndex',
      KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
      ExpressionAttributeValues: { ':window': 'w', ':from': MINUTE, ':upTo': MINUTE + 59 },
      ExclusiveStartKey: { expirationWindow: 'w', id: 'a', ttl: expect.anything() },
      Limit: 7,
    }),
  ]);
});

test('by second it asks for the second, which is the only key of the index', async () => {
  const { asked, page } = await ask(
    { indexedBy: 'second' },
    { value: MINUTE, ttl: MINUTE },
    RANGE,
    START_KEY,
    7,
  );
  expect(asked).toEqual([
    {
      TableName: 'Sessions',
      IndexName: 'expirySecondIndex',
      KeyConditionExpression: '#ttl = :second',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':second': MINUTE },
      ExclusiveStartKey: { id: 'a', ttl: expect.anything() },
      Limit: 7,
    },
  ]);
  expect(page).toEqual({
    entries: [{ key: { id: { S: 'a' } }, ttl: MINUTE }],
    positions: [START_KEY],
    more: false,
  });
});

test.each([
  ['before', MINUTE - 1],
  ['behind', MINUTE + 60],
])('by second a key %s the range costs no query', async (_where, ttl) => {
  const { asked, page } = await ask({ indexedBy: 'second' }, { value: ttl, ttl }, RANGE, null, 1);
  expect(asked).toEqual([]);
  expect(page).toEqual({ entries: [], positions: [], more: false });
});

describe('the earliest TTL by second', () => {
  const layout = indexLayout(expiryModel({ partitionKey: 'id', indexedBy: 'second' }));
  const target: SweepTarget = {
    windows: [{ start: MINUTE, shards: '0' }],
    from: MINUTE,
    before: MINUTE + 60,
    upcomingFrom: null,
  };
  const probe = async (held: readonly number[], outOfTime: () => boolean = () => false) => {
    const asked: unknown[] = [];
    const read: ReadIndex = async ({ value, ttl = 0 }) => {
      asked.push(value);
      const entries = held.includes(ttl) ? [{ key: { id: { S: 'a' } }, ttl }] : [];
      return { entries, positions: [], more: false };
    };
    return { earliest: await earliestTtl(read, layout, target, outOfTime), asked: asked.length };
  };

  test('is that of the first second that holds something', async () => {
    expect(await probe([MINUTE + 9, MINUTE + 30])).toEqual({ earliest: MINUTE + 9, asked: 10 });
  });

  test('is none when no second does', async () => {
    expect(await probe([])).toEqual({ earliest: undefined, asked: 60 });
  });

  test('is not waited for when time runs out: the child asks again', async () => {
    let asked = 0;
    const outOfTime = () => {
      asked += 1;
      return asked > 20;
    };
    await expect(probe([MINUTE + 30], outOfTime)).rejects.toThrow(DynamoDbBusyError);
  });
});
