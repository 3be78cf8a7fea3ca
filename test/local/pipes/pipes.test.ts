/** @jest-environment ./test/support/dynamodb-environment.ts */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform references, as CDKTF writes them
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { PipedRecord } from '../../../functions/only-expiries/contract.ts';
import { LocalCloud, type LocalCloudOptions } from '../../../local/cloud.ts';
import type { DeliveredExpiry } from '../../../local/pipes/pipes.ts';
import { handmadeStack, lambdaFunction, type StackParts } from '../../support/handmade-stack.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client } = useLocalDynamoDb();
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Passes on what it gets, but for the item `not`. */
const CODE = `export const handler = async batch => {
  const idOf = ({ record }) => record.dynamodb.Keys.id.S;
  return batch.filter(each => idOf(each) !== 'not');
};`;

const known = (table: string) => `{"table":"${table}","to":"bus","record":<aws.pipes.event.json>}`;

function stack(table: string, source = '${aws_dynamodb_table.t.stream_arn}'): StackParts {
  return {
    resource: {
      aws_dynamodb_table: {
        t: {
          name: table,
          hash_key: 'id',
          attribute: [{ name: 'id', type: 'S' }],
          stream_enabled: true,
          stream_view_type: 'NEW_AND_OLD_IMAGES',
        },
      },
      aws_lambda_function: { only: lambdaFunction(`only-${table}`, CODE) },
      aws_pipes_pipe: {
        p: {
          name: `${table}-events`,
          role_arn: 'arn:aws:iam::123456789012:role/r',
          source,
          enrichment: '${aws_lambda_function.only.arn}',
          target: 'arn:aws:events:us-east-1:123456789012:event-bus/orders',
          source_parameters: {
            filter_criteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
            dynamodb_stream_parameters: {
              batch_size: 10,
              starting_position: 'TRIM_HORIZON',
            },
          },
          enrichment_parameters: { input_template: known(table) },
        },
      },
    },
  };
}

async function start(parts: StackParts, options: Partial<LocalCloudOptions> = {}) {
  const made = handmadeStack(parts);
  cleanUps.push(made.remove);
  const delivered: DeliveredExpiry[] = [];
  const errors: string[] = [];
  const cloud = await LocalCloud.start({
    stack: made.stack,
    dynamoDb: dynamoDbOfFile(),
    environment: {},
    pipes: {
      pollMs: 20,
      onExpiry: each => delivered.push(each),
      onError: (error, { name }) => errors.push(`${name}: ${error}`),
    },
    ...options,
  });
  cleanUps.push(() => cloud.stop());
  const records = () => delivered.map(({ event }) => event as unknown as PipedRecord);
  return {
    cloud,
    delivered,
    errors,
    records,
    ids: () => records().map(({ record }) => record.dynamodb.Keys),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 15_000; !isSo(); await sleep(10)) {
    if (Date.now() > end) throw new Error('it did not happen within 15 s');
  }
}

const write = (TableName: string, id: string) =>
  client.send(
    new PutItemCommand({
      TableName,
      Item: { id: { S: id }, bytes: { B: Buffer.from('hello') }, map: { M: { empty: { M: {} } } } },
    }),
  );

async function remove(TableName: string, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await write(TableName, id);
    await client.send(new DeleteItemCommand({ TableName, Key: { id: { S: id } } }));
  }
}

test('a removal reaches the function as the template says and Pipes give it, and what it answers is delivered', async () => {
  const { delivered, records, ids } = await start(stack('Given'));
  await write('Given', 'stays');
  const before = Math.floor(Date.now() / 1000);
  await remove('Given', 'not', 'a');
  await until(() => delivered.length > 0);
  expect(ids()).toEqual([{ id: { S: 'a' } }]);
  expect(delivered[0]?.pipe).toMatchObject({ name: 'Given-events', tableName: 'Given' });
  const [piped] = records();
  expect(piped).toMatchObject({
    table: 'Given',
    to: 'bus',
    record: {
      eventName: 'REMOVE',
      eventSource: 'aws:dynamodb',
      eventSourceARN: expect.stringMatching(/table\/Given\/stream\//),
      dynamodb: {
        Keys: { id: { S: 'a' } },
        OldImage: { id: { S: 'a' }, bytes: { B: 'aGVsbG8=' }, map: { M: { empty: { M: {} } } } },
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    },
  });
  // DynamoDB Local rounds the time down to the minute.
  const time = piped?.record.dynamodb.ApproximateCreationDateTime ?? 0;
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now() / 1000);
});

test("a table of somebody else's gets the stream that a pipe reads", async () => {
  const { resource = {} } = stack('Theirs', '${data.aws_dynamodb_table.t.stream_arn}');
  const { aws_dynamodb_table: _made, ...others } = resource;
  await client.send(
    new CreateTableCommand({
      ...{ TableName: 'Theirs', BillingMode: 'PAY_PER_REQUEST' },
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  const { ids, delivered } = await start({
    resource: others,
    data: { aws_dynamodb_table: { t: { name: 'Theirs' } } },
  });
  await remove('Theirs', 'a');
  await until(() => delivered.length > 0);
  expect(ids()).toEqual([{ id: { S: 'a' } }]);
});
