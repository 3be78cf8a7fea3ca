/** @jest-environment ./test/support/dynamodb-environment.ts */
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { plainDecimal } from '../../expiry/shard.ts';
import { createExpiringTable } from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const WRITTEN = [
  ...['0', '-0', '-0.0', '17', '-17', '00042', '100', '0.1', '1.50', '1.0', '.5', '1.5E2', '1E+3', '-0.10'],
  ...['1e+20', '1e+21', '-1.5e40', '1e-6', '1e-7', '1.25e-30', '9007199254740993', '9.99e125', '1e-130'],
  '12345678901234567890123456789012345678',
];

test('a number has the text that DynamoDB gives back', async () => {
  const { settings } = await createExpiringTable(dynamo.client);
  const TableName = settings.tableName;
  for (const N of WRITTEN) {
    await dynamo.client.send(new PutItemCommand({ TableName, Item: { id: { S: N }, number: { N } } }));
  }
  const { Items = [] } = await dynamo.client.send(new ScanCommand({ TableName }));
  const stored = new Map(Items.map(({ id, number }) => [id?.S, number?.N]));
  expect(WRITTEN.map(text => [text, plainDecimal(text)])).toEqual(
    WRITTEN.map(text => [text, stored.get(text)]),
  );
});
