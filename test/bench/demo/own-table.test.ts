/** @jest-environment ./test/support/dynamodb-environment.ts */
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { OwnTable, ownTableName } from '../../../bench/demo/own-table.ts';
import { TableMismatchError } from '../../../local/errors.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client, endpoint } = useLocalDynamoDb();

const make = (TableName: string) =>
  client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
const tables = async () => (await client.send(new ListTablesCommand({}))).TableNames;

test('a name is another one each time, says whose it is, and is one that DynamoDB takes', () => {
  expect(ownTableName('SessionData')).toMatch(/^SessionData-demo-[0-9a-f]{8}$/);
  expect(ownTableName('SessionData')).not.toBe(ownTableName('SessionData'));
  expect(ownTableName('t'.repeat(255)).length).toBeLessThanOrEqual(255);
});

test("somebody's table of that name is refused and stays", async () => {
  await make('Mine');
  const reserved = OwnTable.reserve(dynamoDbOfFile(), 'Mine', 'us-east-1');
  await expect(reserved).rejects.toThrow(TableMismatchError);
  await expect(reserved).rejects.toThrow(
    `table "Mine": expected none at ${endpoint}, where this run makes its own, got one; nothing was touched, run it again`,
  );
  expect(await tables()).toEqual(['Mine']);
});

test('is removed, once; also when it was never made', async () => {
  const own = await OwnTable.reserve(dynamoDbOfFile(), 'Own', 'us-east-1');
  expect(await own.remove()).toBeUndefined();
  await make('Own');
  expect(await own.remove()).toBeUndefined();
  expect(await tables()).not.toContain('Own');
});

test('a process that ends before it could remove its tables says how to, by one listener', async () => {
  const before = process.listeners('exit');
  const names = ['Left', 'Left-journal'];
  const own: OwnTable[] = [];
  for (const name of names) own.push(await OwnTable.reserve(dynamoDbOfFile(), name, 'us-east-1'));
  const [sayLeft, ...more] = process.listeners('exit').filter(listener => !before.includes(listener));
  expect(more).toEqual([]);
  const error = jest.spyOn(console, 'error').mockImplementation(() => {});
  sayLeft?.(130);
  expect(error.mock.calls).toEqual(
    names.map(name => [
      `the table "${name}" of this run is left at ${endpoint} (this was stopped before it could remove it); remove it: ` +
        `aws dynamodb delete-table --table-name ${name} --endpoint-url ${endpoint}`,
    ]),
  );
  error.mockRestore();
  for (const each of own) await each.remove();
  expect(process.listeners('exit')).toEqual(before);
});
