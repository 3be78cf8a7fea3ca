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
  expect(asked).toMatchObject([
    {
      ...{ IndexName: 'expirationWindowIndex', Limit: 7 },
      KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
      ExpressionAttributeValues: { ':window': 'w', ':from': MINUTE, ':upTo': MINUTE + 59 },
    },
  ]);
});

test('by second it asks for the second, which is the only key of the index, and not for one outside of the range', async () => {
  const second = (ttl: number) => ask({ indexedBy: 'second' }, { value: ttl, from: ttl, ttl }, RANGE, 7);
  const { asked, page } = await second(MINUTE);
  expect(asked).toEqual([
    {
      ...{ TableName: 'Sessions', IndexName: 'expirySecondIndex', Limit: 7 },
      KeyConditionExpression: '#ttl = :second',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':second': MINUTE },
    },
  ]);
  expect(page).toEqual({ entries: [{ key: { id: { S: 'a' } }, ttl: MINUTE }], more: false });
  for (const ttl of [MINUTE - 1, MINUTE + 60])
    expect(await second(ttl)).toEqual({ asked: [], page: { entries: [], more: false } });
});
