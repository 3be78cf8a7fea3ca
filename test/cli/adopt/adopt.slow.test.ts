/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  type AttributeDefinition,
  type AttributeValue,
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type Answer,
  jsonAnswer,
  parseBody,
  withBody,
} from '../../../aws-on-loopback/src/dynamodb/answer.ts';
import { type CallHandler, DynamoDbProxy } from '../../../aws-on-loopback/src/dynamodb/proxy.ts';
import { type AdoptChanges, runAdoptJob } from '../../support/adopt-job.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client, endpoint } = useLocalDynamoDb();

const FUTURE = Math.floor(Date.now() / 1000) + 86_400;
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-adopt-test-'));
const { env } = process;
const stops: (() => unknown)[] = [];

afterEach(async () => {
  process.env = env;
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  readonly attributes?: Readonly<Record<string, AttributeDefinition['AttributeType']>>;
  readonly items?: readonly Readonly<Record<string, AttributeValue>>[];
  readonly input?: Partial<CreateTableCommandInput>;
}

const ITEMS = Array.from({ length: 12 }, (_, n) => ({
  id: { S: `id-${n}` },
  ...(n % 4 === 0 ? {} : { ttl: { N: String(FUTURE + n) } }),
}));

/**
 * A table that somebody else has created and filled. It is deleted at the end of each test: DynamoDB Local builds no further index
 * once seven tables have native TTL, and leaves the index CREATING for ever.
 */
async function makeTable(name: string, { attributes = {}, items = ITEMS, input = {} }: Made = {}) {
  stops.push(() => client.send(new DeleteTableCommand({ TableName: name })));
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: Object.entries({ id: 'S' as const, ...attributes }).map(
        ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }),
      ),
      ...input,
    }),
  );
  await Promise.all(items.map(Item => client.send(new PutItemCommand({ TableName: name, Item }))));
  return name;
}

/** Runs the job against DynamoDB Local, or against a proxy for it. */
async function run(
  tableName: string,
  options: AdoptChanges = {},
  environment: Record<string, string> = {},
  reached?: string,
) {
  return runAdoptJob({ endpoint, folder, tableName, options, environment, reached });
}

/** Runs the job against a proxy for DynamoDB Local, and returns the operations that it called. */
async function runThrough(handle: CallHandler, tableName: string, options: AdoptChanges = {}) {
  const operations: string[] = [];
  const proxy = await DynamoDbProxy.start(endpoint, {
    handle(call) {
      operations.push(call.operation ?? '');
      return handle(call);
    },
  });
  stops.push(() => proxy.stop());
  const adopted = run(tableName, options, { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint });
  return { adopted, operations };
}

async function describe_(name: string) {
  const [{ Table }, { TimeToLiveDescription: ttl }] = await Promise.all([
    client.send(new DescribeTableCommand({ TableName: name })),
    client.send(new DescribeTimeToLiveCommand({ TableName: name })),
  ]);
  return { indexes: Table?.GlobalSecondaryIndexes ?? [], attributes: Table?.AttributeDefinitions, ttl };
}

const AS_IT_WAS = { indexes: [], ttl: { TimeToLiveStatus: 'DISABLED' } };

test('adopts a table, whose items from before are then found by their second', async () => {
  const name = await makeTable('Plain');
  const { end, printed } = await run(name);
  expect(end).toBe('done');
  const { indexes, ttl } = await describe_(name);
  expect(indexes).toEqual([
    expect.objectContaining({
      IndexName: 'expirySecondIndex',
      IndexStatus: 'ACTIVE',
      KeySchema: [{ AttributeName: 'ttl', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    }),
  ]);
  expect(ttl).toMatchObject({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
  const { Items } = await client.send(
    new QueryCommand({
      TableName: name,
      IndexName: 'expirySecondIndex',
      KeyConditionExpression: '#ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': { N: String(FUTURE + 5) } },
    }),
  );
  expect(Items).toEqual([{ id: { S: 'id-5' }, ttl: { N: String(FUTURE + 5) } }]);
  expect(printed).toContain('DynamoDB puts about 9 items into it.');
  expect(printed).toContain('Sampled items: 9 in epoch seconds, 3 without it, which never expire.');
  expect(printed).toContain("      index: { by: 'second' },");
});

test('run again, it changes nothing, asks nothing, and prints the same configuration', async () => {
  const name = await makeTable('Twice');
  const first = await run(name);
  const ask = jest.fn();
  const again = await runThrough(call => call.forward(), name, { ask, ttlAttribute: undefined });
  const { end, printed } = await again.adopted;
  expect(end).toBe('done');
  expect(printed).toContain(
    'Everything is there: the index expirySecondIndex is ACTIVE, native TTL is ENABLED.',
  );
  expect(printed.slice(printed.indexOf("The table's entry"))).toBe(
    first.printed.slice(first.printed.indexOf("The table's entry")),
  );
  expect(ask).not.toHaveBeenCalled();
  expect(new Set(again.operations)).toEqual(new Set(['DescribeTable', 'DescribeTimeToLive', 'Scan']));
});

test('a dry run changes nothing and asks nothing', async () => {
  const name = await makeTable('Dry', { items: [{ id: { S: 'a' }, expiresAt: { N: String(FUTURE) } }] });
  const ask = jest.fn();
  const resultFile = join(folder, 'dry.json');
  const { end, printed } = await run(name, { dryRun: true, ask, ttlAttribute: undefined, resultFile });
  expect({ end, asked: ask.mock.calls }).toEqual({ end: 'done', asked: [] });
  expect(printed).toContain('TTL attribute: expiresAt, which looks like it in the sample');
  expect(printed).toContain('Nothing was changed: this was a dry run.');
  expect(await describe_(name)).toMatchObject(AS_IT_WAS);
  expect(JSON.parse(readFileSync(resultFile, 'utf8'))).toMatchObject({
    table: { name, region: 'us-east-1', sampledItems: 1, writes: { unknown: expect.any(String) } },
    plan: {
      ttlAttribute: { attribute: 'expiresAt', from: 'sample' },
      index: { name: 'expirySecondIndex', action: 'create' },
      nativeTtl: 'enable',
      units: { entries: 1 },
    },
    result: { end: 'done', dryRun: true, index: 'as it was', nativeTtl: 'as it was' },
    configuration: { tableName: name, existingTable: true, ttlAttribute: 'expiresAt' },
  });
});

describe('on AWS', () => {
  const AWS = 'https://dynamodb.us-east-1.amazonaws.com';

  test.each([
    [false, 'declined'],
    [true, 'done'],
  ])('it asks before it changes anything, and is told %p', async (answer, expected) => {
    const name = await makeTable(`Asked-${answer}`);
    const asked: string[] = [];
    const before: unknown[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      before.push(await describe_(name));
      return answer;
    };
    const { end, printed } = await run(name, { ask }, {}, AWS);
    expect({ end, asked }).toEqual({ end: expected, asked: ['Do this?'] });
    expect(before).toEqual([expect.objectContaining({ indexes: [] })]);
    expect(printed).toContain('What is done:\n  1. Add the index expirySecondIndex');
    expect((await describe_(name)).indexes).toHaveLength(answer ? 1 : 0);
  });
});

describe('what DynamoDB refuses', () => {
  const denied = jsonAnswer(
    {
      __type: 'com.amazon.coral.service#AccessDeniedException',
      Message: 'User: arn:aws:iam::123456789012:user/me is not authorized',
    },
    400,
  );

  test.each([
    ['DescribeTable', 'arn:aws:dynamodb:us-east-1:*:table/Denied'],
    ['UpdateTable', 'arn:aws:dynamodb:ddblocal:000000000000:table/Denied'],
  ])('%s: the missing permission is named as IAM names it', async (operation, resource) => {
    await makeTable('Denied');
    const handle: CallHandler = async call => (call.operation === operation ? denied : call.forward());
    const { adopted } = await runThrough(handle, 'Denied');
    await expect(adopted).rejects.toMatchObject({
      name: 'MissingPermissionError',
      action: `dynamodb:${operation}`,
      resource,
      message: expect.stringContaining(`allow the action dynamodb:${operation} on the resource ${resource}`),
    });
    expect(await describe_('Denied')).toMatchObject(AS_IT_WAS);
  });
});

/** Answers of AWS while an index is built, one for each request; DynamoDB Local builds at once. */
const STATES = [
  { IndexStatus: 'CREATING' },
  { IndexStatus: 'CREATING', Backfilling: true },
  { IndexStatus: 'ACTIVE', Backfilling: true },
  { IndexStatus: 'ACTIVE', Backfilling: false },
];

/** @param onState called with the number of states that were returned */
function building(
  onState: (told: number) => void = () => {},
  states: readonly object[] = STATES,
): CallHandler {
  let told = 0;
  return async call => {
    const answer = await call.forward();
    if (call.operation !== 'DescribeTable') return answer;
    return withIndex(answer, index => {
      const state = states[Math.min(told, states.length - 1)];
      told += 1;
      onState(told);
      return { ...index, ...state };
    });
  };
}

function withIndex(answer: Answer, change: (index: object) => object): Answer {
  const body = parseBody(answer.body) as { Table?: { GlobalSecondaryIndexes?: object[] } } | undefined;
  const indexes = body?.Table?.GlobalSecondaryIndexes;
  if (indexes === undefined) return answer;
  return withBody(answer, { Table: { ...body?.Table, GlobalSecondaryIndexes: indexes.map(change) } });
}

describe('while DynamoDB builds the index', () => {
  test('it waits until it is ACTIVE and has every item, and only then turns native TTL on', async () => {
    const name = await makeTable('Building');
    const { adopted, operations } = await runThrough(building(), name);
    const { end, shown } = await adopted;
    expect(end).toBe('done');
    expect(shown.map(line => line.replace(/, \d+ s$/, ''))).toEqual([
      'Index expirySecondIndex: DynamoDB makes room for it',
      'Index expirySecondIndex: DynamoDB puts the items into it',
      'Index expirySecondIndex: DynamoDB puts the items into it',
      '',
    ]);
    expect(operations.slice(operations.indexOf('UpdateTable'))).toEqual([
      'UpdateTable',
      ...STATES.map(() => 'DescribeTable'),
      'UpdateTimeToLive',
    ]);
  });

  test('interrupted, it says what goes on; run again, it waits for the same index and goes on', async () => {
    const name = await makeTable('Interrupted');
    const stop = new AbortController();
    const resultFile = join(folder, 'interrupted.json');
    const first = await runThrough(
      building(told => told === 2 && stop.abort()),
      name,
      { signal: stop.signal, resultFile },
    );
    const { end, printed } = await first.adopted;
    expect(end).toBe('interrupted');
    expect(printed).toContain(
      'Interrupted: DynamoDB goes on building the index expirySecondIndex by itself. Native TTL was not turned on yet.',
    );
    expect(JSON.parse(readFileSync(resultFile, 'utf8'))).toMatchObject({
      result: { end: 'interrupted', index: 'being built', nativeTtl: 'as it was' },
    });
    expect((await describe_(name)).ttl).toMatchObject({ TimeToLiveStatus: 'DISABLED' });

    const again = await runThrough(building(), name);
    const second = await again.adopted;
    expect(second.end).toBe('done');
    expect(second.printed).toContain('1. Wait until DynamoDB has built the index expirySecondIndex.');
    expect(again.operations).not.toContain('UpdateTable');
    expect(await describe_(name)).toMatchObject({ ttl: { TimeToLiveStatus: 'ENABLED' } });
  });
});

describe('CloudWatch', () => {
  /** Answers GetMetricData as CloudWatch does. */
  async function cloudWatch(
    answer: (query: string) => [number, object],
  ): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server: Server = createServer(async (incoming, outgoing) => {
      const text = (await buffer(incoming)).toString();
      asked.push(text);
      const [status, body] = answer(text);
      outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      outgoing.end(JSON.stringify(body));
    });
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
    stops.push(() => server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  test('says how much is written, and how much of the index is built', async () => {
    const { url, asked } = await cloudWatch(query => [
      200,
      {
        MetricDataResults: [
          {
            Id: 'values',
            Values: query.includes('ConsumedWriteCapacityUnits') ? [86_400, 0, 777_600] : [42],
          },
        ],
      },
    ]);
    const name = await makeTable('Metered');
    const states = [{ IndexStatus: 'CREATING' }, { IndexStatus: 'ACTIVE' }];
    const proxy = await DynamoDbProxy.start(endpoint, { handle: building(undefined, states) });
    stops.push(() => proxy.stop());
    const { printed, shown } = await run(
      name,
      {},
      { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, AWS_ENDPOINT_URL_CLOUDWATCH: url },
    );
    expect(printed).toContain('10 write units a second, 216 in the busiest hour of the last day');
    expect(shown[0]).toContain('████████░░░░░░░░░░░░ 42%, DynamoDB makes room for it');
    expect(asked[0]).toContain('"TableName"');
  });
});
