/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  BatchExecuteStatementCommand,
  CreateTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { DynamoDbMeter } from '../../../local/dynamodb/meter.ts';
import { otherAddressesOf } from '../../../stepfunctions-emulator/test/support/other-addresses.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const direct = useLocalDynamoDb();
const meter = new DynamoDbMeter();
const TableName = 'metered';
let endpoint: string;
let client: DynamoDBClient;
let used: { readUnits: number; writeUnits: number }[];

/** Has the client send a trace id, as the SDK does in Lambda. */
function traced(endpoint: string, traceId: string): DynamoDBClient {
  const made = localDynamoDb(endpoint, 'us-east-1');
  made.middlewareStack.add(
    next => async args => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers['X-Amzn-Trace-Id'] = traceId;
      return next(args);
    },
    { step: 'build' },
  );
  return made;
}

beforeAll(async () => {
  endpoint = await meter.start(direct.endpoint);
  client = traced(endpoint, 'Root=1-a');
  await direct.client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: 'window', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'windows',
          KeySchema: [{ AttributeName: 'window', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
});
afterAll(async () => {
  client.destroy();
  await meter.stop();
});

let untrack: () => void;
beforeEach(() => {
  used = [];
  untrack = meter.track('Root=1-a', (counter, amount) => {
    // Each answer is reported as a call, and then by its units.
    if (counter === 'dynamoDbCalls') used.push({ readUnits: 0, writeUnits: 0 });
    const last = used.at(-1);
    if (last && counter === 'dynamoDbReadUnits') last.readUnits += amount;
    if (last && counter === 'dynamoDbWriteUnits') last.writeUnits += amount;
  });
});
afterEach(() => untrack());

const put = (id: string, attributes: Record<string, { S: string }> = {}) =>
  client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...attributes } }));
const indexed = { window: { S: 'w' } };
const kilobytes = (count: number) => ({ pad: { S: 'x'.repeat(count * 1024 - 100) } });

test('listens on 127.0.0.1 only', async () => {
  expect(await otherAddressesOf(endpoint)).toEqual([]);
});

test('counts what DynamoDB reports, and hands the answer on without it', async () => {
  const written = await put('a', { ...indexed, ...kilobytes(2) });
  expect(written).not.toHaveProperty('ConsumedCapacity');
  const read = await client.send(
    new GetItemCommand({ TableName, Key: { id: { S: 'a' } }, ConsistentRead: true }),
  );
  expect(read.Item?.['pad']?.S).toHaveLength(2 * 1024 - 100);
  expect(used).toEqual([
    { readUnits: 0, writeUnits: 2 + 1 },
    { readUnits: 1, writeUnits: 0 },
  ]);
});

test('leaves the units in the answer for who asked for them', async () => {
  const command = new GetItemCommand({ TableName, Key: { id: { S: 'a' } }, ReturnConsumedCapacity: 'TOTAL' });
  expect((await client.send(command)).ConsumedCapacity).toMatchObject({ TableName });
  expect(used).toHaveLength(1);
});

test('a query that finds nothing takes half a unit', async () => {
  await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'windows',
      KeyConditionExpression: '#w = :w',
      ExpressionAttributeNames: { '#w': 'window' },
      ExpressionAttributeValues: { ':w': { S: 'nothing' } },
    }),
  );
  expect(used).toEqual([{ readUnits: 0.5, writeUnits: 0 }]);
});

test('PartiQL deletes, of which DynamoDB Local reports nothing: size, indexes, misses and failed conditions', async () => {
  await put('small');
  await put('indexed', indexed);
  await put('big', { ...indexed, ...kilobytes(3) });
  await put('kept', { keep: { S: 'yes' } });
  used.length = 0;
  const statement = (id: string) => ({
    Statement: `DELETE FROM "${TableName}" WHERE id = '${id}' AND attribute_not_exists("keep") RETURNING ALL OLD *`,
  });
  const ids = ['small', 'indexed', 'big', 'kept', 'never-there'];
  const { Responses } = await client.send(
    new BatchExecuteStatementCommand({ Statements: ids.map(statement) }),
  );
  expect(Responses?.map(({ Item, Error: error }) => Item?.['id']?.S ?? error?.Code)).toEqual([
    'small',
    'indexed',
    'big',
    'ConditionalCheckFailed',
    undefined,
  ]);
  expect(used).toEqual([{ readUnits: 0, writeUnits: 1 + (1 + 1) + (3 + 1) + 1 + 1 }]);
});

test('errors pass unchanged, and count as calls', async () => {
  await expect(
    client.send(new GetItemCommand({ TableName: 'nowhere', Key: { id: { S: 'a' } } })),
  ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  expect(used).toEqual([{ readUnits: 0, writeUnits: 0 }]);
});

test('calls of another invocation are not counted here', async () => {
  const other = traced(
    (await client.config.endpoint?.().then(({ port }) => `http://127.0.0.1:${port}`)) ?? '',
    'Root=1-b',
  );
  await other.send(new GetItemCommand({ TableName, Key: { id: { S: 'a' } } }));
  other.destroy();
  expect(used).toEqual([]);
});
