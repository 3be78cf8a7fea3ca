import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  BatchExecuteStatementCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { type DynamoDbEffect, type FaultProxy, startFaultProxy } from '../../../lab/faults/index.ts';
import { otherAddressesOf } from '../../../stepfunctions-emulator/test/support/other-addresses.ts';

/** Stands for DynamoDB: notes what reaches it, and answers what the test wants. */
const reached: Record<string, unknown>[] = [];
let answer: (body: Record<string, unknown>) => unknown = () => ({});
const dynamoDb = createServer(async (request, response) => {
  const body = JSON.parse(await text(request)) as Record<string, unknown>;
  reached.push(body);
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(answer(body)));
});

let effect: DynamoDbEffect | undefined;
let before: (() => Promise<unknown>) | undefined;
let proxy: FaultProxy;
let client: DynamoDBClient;

beforeAll(async () => {
  dynamoDb.listen(0, '127.0.0.1');
  await once(dynamoDb, 'listening');
  proxy = await startFaultProxy({
    target: `http://127.0.0.1:${(dynamoDb.address() as AddressInfo).port}`,
    choose: () => effect && { name: 'throttled', effect, ...(before && { before }) },
  });
  client = localDynamoDb(proxy.endpoint, 'us-east-1', {
    maxAttempts: 1,
    requestHandler: { requestTimeout: 200, throwOnRequestTimeout: true },
  });
});
beforeEach(() => {
  reached.length = 0;
  effect = undefined;
  before = undefined;
  answer = () => ({});
});
afterAll(async () => {
  client.destroy();
  await proxy.stop();
  await proxy.stop();
  dynamoDb.closeAllConnections();
  dynamoDb.close();
});

const statements = (count: number) =>
  Array.from({ length: count }, (_unused, index) => ({
    Statement: 'DELETE FROM "t" WHERE "id" = ?',
    Parameters: [{ S: `id-${index}` }],
  }));
const execute = (count = 4) =>
  client.send(new BatchExecuteStatementCommand({ Statements: statements(count) }));
const answerStatements = (body: Record<string, unknown>) => ({
  Responses: (body['Statements'] as { Parameters: { S: string }[] }[]).map(({ Parameters }) => ({
    TableName: 't',
    Item: { id: Parameters[0] },
  })),
});

test('listens on 127.0.0.1 only', async () => {
  expect(await otherAddressesOf(proxy.endpoint)).toEqual([]);
});

test('a call without a fault goes through as it is', async () => {
  answer = answerStatements;
  const { Responses } = await execute(2);
  expect(Responses).toEqual([
    { TableName: 't', Item: { id: { S: 'id-0' } } },
    { TableName: 't', Item: { id: { S: 'id-1' } } },
  ]);
  expect(reached).toEqual([{ Statements: statements(2) }]);
});

test.each([
  ['ThrottlingException', 400],
  ['InternalServerError', 500],
])('%s: DynamoDB is not asked', async (error, status) => {
  effect = { kind: 'refuse', error, status };
  await expect(execute()).rejects.toMatchObject({ name: error, $metadata: { httpStatusCode: status } });
  expect(reached).toEqual([]);
});

test('statements that are left out are answered in their place, the others are carried out', async () => {
  answer = answerStatements;
  effect = {
    kind: 'leaveOut',
    errors: new Map([
      [1, 'ThrottlingError'],
      [2, 'ValidationError'],
    ]),
  };
  const { Responses } = await execute();
  expect(Responses?.map(({ Item, Error: error }) => Item?.['id']?.S ?? error?.Code)).toEqual([
    'id-0',
    'ThrottlingError',
    'ValidationError',
    'id-3',
  ]);
  expect(reached).toEqual([{ Statements: [statements(4)[0], statements(4)[3]] }]);
});

test('something may happen to the table before the call reaches it', async () => {
  const order: string[] = [];
  effect = { kind: 'leaveOut', errors: new Map() };
  before = async () => {
    order.push(`${reached.length} calls`);
  };
  answer = body => {
    order.push('the call');
    return answerStatements(body);
  };
  const { Responses } = await execute(2);
  expect(Responses).toHaveLength(2);
  expect(order).toEqual(['0 calls', 'the call']);
});

test('of a batch of which everything is left out nothing is sent on', async () => {
  effect = { kind: 'leaveOut', errors: new Map([0, 1, 2, 3].map(index => [index, 'ThrottlingError'])) };
  const { Responses } = await execute();
  expect(Responses?.map(({ Error: error }) => error?.Code)).toEqual(Array(4).fill('ThrottlingError'));
  expect(reached).toEqual([]);
});

test('keys of BatchWriteItem that are left out are unprocessed, beside those that DynamoDB left', async () => {
  const requests = ['a', 'b', 'c'].map(id => ({ DeleteRequest: { Key: { id: { S: id } } } }));
  answer = () => ({ UnprocessedItems: { t: [requests[2]] } });
  effect = { kind: 'leaveOut', errors: new Map([[0, 'any']]) };
  const { UnprocessedItems } = await client.send(
    new BatchWriteItemCommand({ RequestItems: { t: requests } }),
  );
  expect(UnprocessedItems).toEqual({ t: [requests[0], requests[2]] });
  expect(reached).toEqual([{ RequestItems: { t: [requests[1], requests[2]] } }]);
});

test.each([
  ['before the call', { kind: 'cutBefore' }, 0],
  ['before the answer', { kind: 'cutAfter', midAnswer: false }, 1],
  ['within the answer', { kind: 'cutAfter', midAnswer: true }, 1],
] as const)('a connection that is cut %s', async (_when, cut, calls) => {
  answer = answerStatements;
  effect = cut;
  await expect(execute()).rejects.toThrow();
  expect(reached).toHaveLength(calls);
});

test('a slow answer comes after the call took effect, and too late', async () => {
  effect = { kind: 'slow', ms: 2000 };
  await expect(execute()).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(reached).toHaveLength(1);
});

describe('stale answers', () => {
  const entry = (id: string, ttl: number) => ({ id: { S: id }, w: { S: 'window' }, ttl: { N: String(ttl) } });
  const query = async (overrides: object = {}) => {
    const { Items, LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: 't',
        IndexName: 'i',
        KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
        ExpressionAttributeNames: { '#window': 'w', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':window': { S: 'window' }, ':from': { N: '10' }, ':upTo': { N: '20' } },
        ...overrides,
      }),
    );
    return { ids: Items?.map(({ id }) => id?.S), next: LastEvaluatedKey?.['id']?.S };
  };

  test('hold what earlier answers held, in its place', async () => {
    const answered = (...Items: object[]) => {
      answer = () => ({ Items, Count: Items.length });
    };
    answered(entry('a', 11), entry('b', 12), entry('c', 15), entry('out of range', 21));
    await query();
    answered(entry('elsewhere', 12));
    const values = { ':window': { S: 'another' }, ':from': { N: '10' }, ':upTo': { N: '20' } };
    await query({ ExpressionAttributeValues: values });
    answered(entry('of another table', 12));
    await query({ TableName: 'another' });
    effect = { kind: 'stale' };
    answer = () => ({ Items: [entry('new', 12)], Count: 1 });
    expect(await query()).toEqual({ ids: ['a', 'new', 'b', 'c'], next: undefined });
  });

  test('have no more entries than were asked for, and say where to go on', async () => {
    effect = { kind: 'stale' };
    answer = () => ({ Items: [entry('new', 12)], Count: 1 });
    expect(await query({ Limit: 1 })).toEqual({ ids: ['a'], next: 'a' });
    const behind = await query({ Limit: 1, ExclusiveStartKey: entry('a', 11) });
    expect(behind).toEqual({ ids: ['new'], next: 'new' });
  });

  test('add nothing where the next page may still have it', async () => {
    effect = { kind: 'stale' };
    answer = () => ({ Items: [entry('new', 11)], Count: 1, LastEvaluatedKey: entry('new', 11) });
    expect(await query()).toEqual({ ids: ['new'], next: 'new' });
  });
});

test('fails for a target that is not on this machine', async () => {
  await expect(startFaultProxy({ target: 'https://dynamodb.us-east-1.amazonaws.com' })).rejects.toThrow(
    'loopback',
  );
});
