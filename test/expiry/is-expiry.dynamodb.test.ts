/** @jest-environment ./test/support/dynamodb-environment.ts */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { localDynamoDbStreams } from 'aws-on-loopback/dynamodb/clients';
import { isExpiry } from '../../expiry/is-expiry.ts';
import { expiryModel } from '../../expiry/model.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const streams = localDynamoDbStreams(dynamo.endpoint, 'us-east-1');
afterAll(() => streams.destroy());

const model = expiryModel({ partitionKey: 'id' });

async function createTable(name: string): Promise<string> {
  const { TableDescription } = await dynamo.client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  return TableDescription?.LatestStreamArn ?? '';
}

async function removals(StreamArn: string): Promise<_Record[]> {
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const records: _Record[] = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const place = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
    const { ShardIterator } = await streams.send(new GetShardIteratorCommand(place));
    const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    records.push(...Records.filter(({ eventName }) => eventName === 'REMOVE'));
  }
  return records;
}

const idOf = (record: _Record) => record.dynamodb?.Keys?.['id']?.S;

async function put(TableName: string, id: string, ttl: AttributeValue | undefined): Promise<void> {
  await dynamo.client.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...(ttl && { ttl }) } }));
}

test('tells expiries from removals just before the expiry', async () => {
  const stream = await createTable('Removed');
  const removedAt = new Map<string | undefined, Date>();
  const remove = async (id: string) => {
    await dynamo.client.send(new DeleteItemCommand({ TableName: 'Removed', Key: { id: { S: id } } }));
    removedAt.set(id, new Date());
  };
  // From the beginning of a second on, so that both deletes have a second of their own.
  await sleep(1000 - (Date.now() % 1000));
  const now = Math.floor(Date.now() / 1000);
  const ttl = { N: String(now + 1) };
  for (const id of ['before', 'after']) await put('Removed', id, ttl);
  await put('Removed', 'long expired', { N: String(now - 86_400) });
  await put('Removed', 'live', { N: String(now + 3600) });
  await put('Removed', 'without a TTL', undefined);
  for (const id of ['before', 'long expired', 'live', 'without a TTL']) await remove(id);
  expect(Date.now()).toBeLessThan((now + 1) * 1000);
  await sleep((now + 1) * 1000 - Date.now() + 20);
  await remove('after');
  const records = await removals(stream);
  const told = records.map(record => {
    // DynamoDB Local rounds the time down to the minute, DynamoDB to the second.
    expect(record.dynamodb?.ApproximateCreationDateTime?.getSeconds()).toBe(0);
    const ApproximateCreationDateTime = removedAt.get(idOf(record));
    return [
      idOf(record),
      isExpiry(model, { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime } }),
    ];
  });
  expect(Object.fromEntries(told)).toEqual({
    before: false,
    after: true,
    'long expired': true,
    live: false,
    'without a TTL': false,
  });
});
