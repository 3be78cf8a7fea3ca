/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { localDynamoDbStreams } from 'aws-on-loopback/dynamodb/clients';
import { expiryModel } from '../../expiry/model.ts';
import { unlessExpired } from '../../expiry/not-expired.ts';
import { isExpired } from '../../expiry/ttl.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const streams = localDynamoDbStreams(dynamo.endpoint, 'us-east-1');
afterAll(() => streams.destroy());

const TableName = 'Streamed';
const model = expiryModel({ partitionKey: 'id' });
const nowMs = Date.parse('2026-11-20T09:00:30.900Z');
const now = Math.floor(nowMs / 1000);

const CASES: [string, AttributeValue | undefined, boolean][] = [
  ['expired this second', { N: String(now) }, true],
  ['a second left', { N: String(now + 1) }, false],
  ['a fraction past', { N: `${now - 1}.5` }, true],
  ['in an exponent', { N: `${now / 10}E1` }, true],
  ['five years ago', { N: String(now - 5 * 365 * 86_400) }, false],
  ['a string', { S: String(now) }, false],
  ['null', { NULL: true }, false],
  ['a map with an N', { M: { N: { N: String(now) } } }, false],
  ['a set', { NS: [String(now)] }, false],
  ['no ttl', undefined, false],
];

type Image = Record<string, AttributeValue>;
/** The images of the stream's records by the item's id. */
let images: Map<string | undefined, { written?: Image; deleted?: Image }>;

beforeAll(async () => {
  const { TableDescription } = await dynamo.client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  for (const [id, ttl] of CASES) {
    const Item = { id: { S: id }, ...(ttl && { ttl }) };
    await dynamo.client.send(new PutItemCommand({ TableName, Item }));
    await dynamo.client.send(new DeleteItemCommand({ TableName, Key: { id: { S: id } } }));
  }
  const StreamArn = TableDescription?.LatestStreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  images = new Map(CASES.map(([id]) => [id, {}]));
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const place = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
    const { ShardIterator } = await streams.send(new GetShardIteratorCommand(place));
    const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    for (const { eventName, dynamodb } of Records) {
      const of = images.get(dynamodb?.Keys?.['id']?.S);
      if (of === undefined || dynamodb === undefined) continue;
      if (eventName === 'INSERT') of.written = dynamodb.NewImage as Image;
      if (eventName === 'REMOVE') of.deleted = dynamodb.OldImage as Image;
    }
  }
});

test.each(CASES)('the images of a stream, with a TTL that is %s', (id, ttl, expired) => {
  const { written, deleted } = images.get(id) ?? {};
  expect(written).toBeDefined();
  expect(deleted).toEqual(written);
  expect(unlessExpired(model, written, { nowMs })).toBe(expired ? undefined : written);
  expect(unlessExpired(model, deleted, { nowMs })).toBe(expired ? undefined : deleted);
  expect(isExpired(written?.['ttl'], now)).toBe(expired);
  expect(ttl === undefined).toBe(written?.['ttl'] === undefined);
});
