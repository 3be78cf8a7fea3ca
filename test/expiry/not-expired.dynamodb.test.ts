/** @jest-environment ./test/support/dynamodb-environment.ts */
import { GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { notExpired, unlessExpired } from '../../expiry/not-expired.ts';
import { createExpiringTable, type ExpiringTable } from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const nowMs = Date.parse('2026-11-20T09:00:30.900Z');
const now = Math.floor(nowMs / 1000);
const FIVE_YEARS = 5 * 365 * 86_400;
const LIVE = ['a second left', 'five years ago', 'no ttl'];

let table: ExpiringTable;

beforeAll(async () => {
  table = await createExpiringTable(dynamo.client, { sortKey: 'name' });
  await table.put([
    { id: 'a', name: 'expired this second', ttl: now, color: 'red' },
    { id: 'a', name: 'expired long ago', ttl: now - 86_400, color: 'red' },
    { id: 'a', name: 'a second left', ttl: now + 1, color: 'red' },
    { id: 'a', name: 'five years ago', ttl: now - FIVE_YEARS, color: 'red' },
    { id: 'a', name: 'no ttl', color: 'red' },
    { id: 'a', name: 'blue', ttl: now + 1, color: 'blue' },
    { id: 'a', name: 'expired and blue', ttl: now, color: 'blue' },
  ]);
});

const TableName = () => table.settings.tableName;
const names = (items: Record<string, unknown>[] | undefined) =>
  (items ?? []).map(item => item['name']).sort();

test('a Query with a filter of its own gives only live items', async () => {
  const request = notExpired(
    table.settings.model,
    {
      TableName: TableName(),
      KeyConditionExpression: 'id = :id',
      FilterExpression: 'color = :red OR color = :green',
      ExpressionAttributeValues: { ':id': 'a', ':red': 'red', ':green': 'green' },
    },
    { nowMs },
  );
  expect(names((await table.documents.send(new QueryCommand(request))).Items)).toEqual(LIVE);
});

test('a Scan gives only live items', async () => {
  const request = notExpired(table.settings.model, { TableName: TableName() }, { nowMs });
  expect(names((await table.documents.send(new ScanCommand(request))).Items)).toEqual(
    [...LIVE, 'blue'].sort(),
  );
});

test.each([
  ['expired this second', false],
  ['a second left', true],
  ['no ttl', true],
])('a Get with a projection, of %s', async (name, live) => {
  const request = notExpired(
    table.settings.model,
    {
      TableName: TableName(),
      Key: { id: 'a', name },
      ProjectionExpression: '#n',
      ExpressionAttributeNames: { '#n': 'name' },
    },
    { nowMs },
  );
  const { Item } = await table.documents.send(new GetCommand(request));
  expect(Item).toMatchObject({ name });
  expect(unlessExpired(table.settings.model, Item, { nowMs }) !== undefined).toBe(live);
});
