import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { ExpiryModelProps } from '../../../expiry/model.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { indexReader, type ReadIndex } from '../../../functions/table/index-query.ts';
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

test('by window a query asks for a range of TTLs', async () => {
  const { asked } = await ask({}, { value: 'w', from: 0 }, RANGE, 7);
  expect(asked).toEqual([
    expect.objectContaining({
      IndexName: 'expirationWindowIndex',
      KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
      ExpressionAttributeValues: { ':window': 'w', ':from': MINUTE, ':upTo': MINUTE + 59 },
      Limit: 7,
    }),
  ]);
});

test('by second it asks for the second, which is the only key of the index', async () => {
  const { asked, page } = await ask(
    { indexedBy: 'second' },
    { value: MINUTE, from: MINUTE, ttl: MINUTE },
    RANGE,
    7,
  );
  expect(asked).toEqual([
    {
      TableName: 'Sessions',
      IndexName: 'expirySecondIndex',
      KeyConditionExpression: '#ttl = :second',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':second': MINUTE },
      Limit: 7,
    },
  ]);
  expect(page).toEqual({
    entries: [{ key: { id: { S: 'a' } }, ttl: MINUTE }],
    more: false,
  });
});

test.each([
  ['before', MINUTE - 1],
  ['behind', MINUTE + 60],
])('by second a key %s the range costs no query', async (_where, ttl) => {
  const { asked, page } = await ask({ indexedBy: 'second' }, { value: ttl, from: ttl, ttl }, RANGE, 1);
  expect(asked).toEqual([]);
  expect(page).toEqual({ entries: [], more: false });
});
