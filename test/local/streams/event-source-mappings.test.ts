/** @jest-environment ./test/support/dynamodb-environment.ts */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform references, as CDKTF writes them
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteItemCommand,
  PutItemCommand,
  type StreamSpecification,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { TableMismatchError } from 'aws-on-loopback/errors';
import { type EventSourceMappingResource, readFilter } from 'aws-on-loopback/streams/mapping-settings';
import { LocalCloud, type LocalCloudOptions } from '../../../local/cloud.ts';
import { handmadeStack, lambdaFunction, type StackParts } from '../../support/handmade-stack.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client } = useLocalDynamoDb();
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Prints what it gets; fails for an item whose id is `bad`, and reports it. */
const CODE = `export const handler = async ({ Records }) => {
  console.log(JSON.stringify(Records));
  const bad = Records.find(record => record.dynamodb.Keys.id.S === 'bad');
  return { batchItemFailures: bad ? [{ itemIdentifier: bad.dynamodb.SequenceNumber }] : [] };
};`;

const mapping = (over: Record<string, unknown> = {}) => ({
  event_source_arn: '${aws_dynamodb_table.t.stream_arn}',
  function_name: '${aws_lambda_function.read.arn}',
  starting_position: 'TRIM_HORIZON',
  batch_size: 100,
  function_response_types: ['ReportBatchItemFailures'],
  filter_criteria: { filter: [{ pattern: '{"eventName":["REMOVE"]}' }] },
  destination_config: { on_failure: { destination_arn: '${aws_sqs_queue.failures.arn}' } },
  ...over,
});

const table = (name: string, over: Record<string, unknown> = {}) => ({
  name,
  billing_mode: 'PAY_PER_REQUEST',
  hash_key: 'id',
  attribute: [{ name: 'id', type: 'S' }],
  stream_enabled: true,
  stream_view_type: 'NEW_AND_OLD_IMAGES',
  ...over,
});

const stack = (name: string, over: Record<string, unknown> = {}): StackParts => ({
  resource: {
    aws_dynamodb_table: { t: table(name) },
    aws_sqs_queue: { failures: { name: `${name}-failures` } },
    aws_lambda_function: { read: lambdaFunction('read', CODE) },
    aws_lambda_event_source_mapping: { m: mapping(over) },
  },
});

interface SeenRecord {
  readonly eventName: string;
  readonly dynamodb: {
    readonly Keys: { readonly id: { readonly S: string } };
    readonly SequenceNumber: string;
  };
}

async function start(parts: StackParts, options: Partial<LocalCloudOptions> = {}) {
  const made = handmadeStack(parts);
  cleanUps.push(made.remove);
  const records: SeenRecord[] = [];
  const cloud = await LocalCloud.start({
    stack: made.stack,
    dynamoDb: dynamoDbOfFile(),
    environment: {},
    ...options,
    mappings: { pollMs: 20, ...options.mappings },
    functions: { onLog: (_name, line) => records.push(...JSON.parse(line)) },
  });
  cleanUps.push(() => cloud.stop());
  return { cloud, records, ids: () => records.map(({ dynamodb }) => dynamodb.Keys.id.S) };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 15_000; !isSo(); await sleep(10)) {
    if (Date.now() > end) throw new Error('it did not happen within 15 s');
  }
}

const write = async (TableName: string, id: string) => {
  await client.send(
    new PutItemCommand({ TableName, Item: { id: { S: id }, bytes: { B: Buffer.from('hello') } } }),
  );
};
const makeTable = async (TableName: string, StreamSpecification?: StreamSpecification) => {
  const KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' }] as const;
  const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'S' }] as const;
  const keys = { KeySchema: [...KeySchema], AttributeDefinitions: [...AttributeDefinitions] };
  await client.send(
    new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...keys, StreamSpecification }),
  );
};
const remove = async (TableName: string, id: string) => {
  await client.send(new DeleteItemCommand({ TableName, Key: { id: { S: id } } }));
};

test('removals reach the function as Lambda gives them, and nothing else does', async () => {
  const ages: [string, number][] = [];
  const { records } = await start(stack('Given'), {
    mappings: { onIteratorAge: (name, age) => ages.push([name, age]) },
  });
  await write('Given', 'a');
  const before = Math.floor(Date.now() / 1000);
  await remove('Given', 'a');
  await until(() => records.length > 0);
  expect(records).toEqual([
    {
      eventID: expect.stringMatching(/.+/),
      eventName: 'REMOVE',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { id: { S: 'a' } },
        OldImage: { id: { S: 'a' }, bytes: { B: 'aGVsbG8=' } },
        SequenceNumber: expect.stringMatching(/^\d{21}$/),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
      eventSourceARN: expect.stringMatching(
        /^arn:aws:dynamodb:us-east-1:123456789012:table\/Given\/stream\/\d{4}-\d\d-\d\dT/,
      ),
    },
  ]);
  // To the second, where DynamoDB Local has the minute only.
  const [record] = records as unknown as { dynamodb: { ApproximateCreationDateTime: number } }[];
  expect(record?.dynamodb.ApproximateCreationDateTime).toBeGreaterThanOrEqual(before);
  expect(record?.dynamodb.ApproximateCreationDateTime).toBeLessThanOrEqual(before + 5);
  expect(ages.map(([name]) => name)).toEqual(['read']);
});

test('an attribute with the name __proto__ reaches the function, and the shard goes on', async () => {
  const { records } = await start(stack('Proto'));
  const more = {
    ['__proto__']: { S: 'p' },
    m: { M: { ['__proto__']: { B: Buffer.from([1]) }, e: { M: {} } } },
  };
  await client.send(new PutItemCommand({ TableName: 'Proto', Item: { id: { S: 'a' }, ...more } }));
  await remove('Proto', 'a');
  await write('Proto', 'b');
  await remove('Proto', 'b');
  await until(() => records.length === 2);
  expect(JSON.stringify(records[0])).toContain(
    '"OldImage":{"__proto__":{"S":"p"},"id":{"S":"a"},"m":{"M":{"__proto__":{"B":"AQ=="},"e":{"M":{}}}}}',
  );
});

test('what is given up lies in the failure queue, and the shard goes on', async () => {
  const { cloud, ids, records } = await start(
    stack('GivenUp', { maximum_retry_attempts: 1, bisect_batch_on_function_error: true }),
  );
  for (const id of ['first', 'bad', 'last']) await write('GivenUp', id);
  for (const id of ['first', 'bad', 'last']) await remove('GivenUp', id);
  await until(() => ids().includes('last') && cloud.services.sqs?.messages('GivenUp-failures').length === 1);
  const [message] = cloud.services.sqs?.messages('GivenUp-failures') ?? [];
  const bad = records.find(({ dynamodb }) => dynamodb.Keys.id.S === 'bad')?.dynamodb.SequenceNumber;
  expect(JSON.parse(message?.body ?? '')).toEqual({
    requestContext: {
      requestId: expect.any(String),
      functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:read',
      condition: 'RetryAttemptsExhausted',
      approximateInvokeCount: expect.any(Number),
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST' },
    version: '1.0',
    timestamp: expect.stringMatching(/Z$/),
    DDBStreamBatchInfo: {
      shardId: expect.stringMatching(/^shardId-/),
      startSequenceNumber: bad,
      endSequenceNumber: bad,
      approximateArrivalOfFirstRecord: expect.stringMatching(/:\d\dZ$/),
      approximateArrivalOfLastRecord: expect.stringMatching(/:\d\dZ$/),
      batchSize: 1,
      streamArn: expect.stringContaining('table/GivenUp/stream/'),
    },
  });
});

test('another process goes on where the last one was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-checkpoints-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const mappings = { checkpointFile: join(folder, 'checkpoints.json') };
  const first = await start(stack('Kept'), { mappings });
  await write('Kept', 'a');
  await remove('Kept', 'a');
  await until(() => first.ids().length === 1);
  await first.cloud.stop();
  await write('Kept', 'b');
  await remove('Kept', 'b');
  const second = await start(stack('Kept'), { mappings });
  await until(() => second.ids().length > 0);
  expect(second.ids()).toEqual(['b']);
});

test('a table of the stack that was there without a stream gets one', async () => {
  await makeTable('Before');
  const { ids } = await start(stack('Before'));
  await write('Before', 'a');
  await remove('Before', 'a');
  await until(() => ids().length === 1);
});

test('fails at the start for an existing table without a stream, with the command that adds it', async () => {
  await makeTable('Theirs');
  const parts: StackParts = {
    resource: {
      aws_sqs_queue: { failures: { name: 'failures' } },
      aws_lambda_function: { read: lambdaFunction('read', CODE) },
      aws_lambda_event_source_mapping: {
        m: mapping({ event_source_arn: '${data.aws_dynamodb_table.t.stream_arn}' }),
      },
    },
    data: { aws_dynamodb_table: { t: { name: 'Theirs' } } },
  };
  const starting = start(parts);
  await expect(starting).rejects.toThrow(TableMismatchError);
  await expect(starting).rejects.toThrow(
    /aws_lambda_event_source_mapping\.m: expected the existing table "Theirs" at http:\/\/127\.0\.0\.1:\d+ to have a stream, got none\. Add it:\n\n {2}AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local aws dynamodb update-table --table-name Theirs --stream-specification '{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}'/,
  );
});

test('a stream of another view stays as it is', async () => {
  await makeTable('Viewed', { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' });
  const { records } = await start(stack('Viewed'));
  await write('Viewed', 'a');
  await remove('Viewed', 'a');
  await until(() => records.length === 1);
  expect(records[0]?.dynamodb).toMatchObject({ StreamViewType: 'OLD_IMAGE' });
  await client.send(
    new UpdateTableCommand({ TableName: 'Viewed', StreamSpecification: { StreamEnabled: false } }),
  );
});

async function removed(name: string, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await write(name, id);
  for (const id of ids) await remove(name, id);
}

const only = (cloud: LocalCloud): EventSourceMappingResource => {
  const [found] = cloud.synthesized.mappings;
  if (found === undefined) throw new Error('expected a mapping, got none');
  return found;
};

test('a mapping that is off calls nothing, and goes on where it was when it is on again', async () => {
  const { cloud, ids } = await start(stack('Off', { enabled: false }));
  await removed('Off', 'a');
  await cloud.drainStreams();
  expect(ids()).toEqual([]);
  const mappingOn = { ...only(cloud), isEnabled: true };
  await cloud.updateMapping(mappingOn);
  await until(() => ids().length === 1);
  await cloud.updateMapping({ ...mappingOn, isEnabled: false });
  await removed('Off', 'b');
  await cloud.drainStreams();
  expect(ids()).toEqual(['a']);
  await cloud.updateMapping(mappingOn);
  await until(() => ids().length === 2);
  expect(ids()).toEqual(['a', 'b']);
});

test('what a filter does not let through is passed over, also after the filter was changed back', async () => {
  const { cloud, records } = await start(stack('Filtered'));
  const seen = () => records.map(({ eventName, dynamodb }) => `${eventName} ${dynamodb.Keys.id.S}`);
  const before = only(cloud);
  await cloud.updateMapping({
    ...before,
    settings: { ...before.settings, filters: [readFilter('{"eventName":["INSERT"]}')] },
  });
  await removed('Filtered', 'a');
  await write('Filtered', 'after');
  await until(() => seen().length === 2);
  await cloud.updateMapping(before);
  await removed('Filtered', 'b');
  await until(() => seen().length === 3);
  expect(seen()).toEqual(['INSERT a', 'INSERT after', 'REMOVE b']);
});

test('a mapping stays on the stream that was turned off, and reads the new one when it is updated', async () => {
  const { cloud, ids } = await start(stack('Anew'));
  await removed('Anew', 'a');
  await until(() => ids().length === 1);
  const turn = (StreamEnabled: boolean) =>
    client.send(
      new UpdateTableCommand({
        TableName: 'Anew',
        StreamSpecification: {
          StreamEnabled,
          ...(StreamEnabled && { StreamViewType: 'NEW_AND_OLD_IMAGES' }),
        },
      }),
    );
  await turn(false);
  await removed('Anew', 'between');
  await turn(true);
  await removed('Anew', 'b');
  await cloud.drainStreams();
  expect(ids()).toEqual(['a']);
  await cloud.updateMapping(only(cloud));
  await until(() => ids().length === 2);
  expect(ids()).toEqual(['a', 'b']);
});
