import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { NumberValue, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { type ExpiryModelProps, expiryModel } from '../../../expiry/model.ts';
import { windowKey } from '../../../expiry/window.ts';
import {
  answeredAt,
  createDocuments,
  type Documents,
  requestTimeoutMs,
  withoutMessages,
} from '../../../functions/table/dynamodb.ts';
import { isBusy, isInvalid } from '../../../functions/table/dynamodb-errors.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import { indexReader, type ReadIndex } from '../../../functions/table/index-query.ts';
import { keyAttributeNames, toItemKey, toNativeKey } from '../../../functions/table/item-key.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { settingsOf } from '../../support/configs.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const layoutOf = (props: Omit<ExpiryModelProps, 'partitionKey'>) =>
  indexLayout(expiryModel({ partitionKey: 'id', ...props }));
const bySecond = layoutOf({ indexedBy: 'second' });
const secondsOf = (from: number, before: number) =>
  bySecond.keys({ shards: '0', from, before }).map(({ ttl }) => ttl);

test('by window the keys are those of the shards in each window of the span, oldest first', () => {
  const keys = layoutOf({ granularityMinutes: 5, shards: 3 }).keys({ shards: '0,2', from: 299, before: 301 });
  expect(keys).toEqual([
    { value: windowKey(0, 300), from: 0 },
    { value: windowKey(0, 300, 2), from: 0 },
    { value: windowKey(300, 300), from: 300 },
    { value: windowKey(300, 300, 2), from: 300 },
  ]);
});

test.each<[string, Omit<ExpiryModelProps, 'partitionKey'>, number]>([
  ['an id', { shards: 1 }, 36],
  ['an id and two shards', {}, 35],
  ['a sort key', { shards: 1, sortKey: 'when' }, 26],
  ['long names', { shards: 1, ttlAttribute: 't'.repeat(255), windowAttribute: 'w'.repeat(255) }, 6],
])('by window it is known how many entries with %s half a read unit pays for', (_what, props, entries) => {
  expect(layoutOf(props).entriesOfLeastRead).toBe(entries);
});

test.each([
  ['a minute', MINUTE, MINUTE + 60, 60],
  ['a second', MINUTE + 5, MINUTE + 6, 1],
  ['the last second of one minute and the first of another', MINUTE - 1, MINUTE + 1, 2],
  ['nothing', MINUTE, MINUTE, 0],
  ['a span of its own end before its beginning', MINUTE + 1, MINUTE, 0],
])('by second the keys of %s are its seconds', (_what, from, before, count) => {
  const seconds = secondsOf(from, before);
  expect(seconds).toEqual(Array.from({ length: count }, (_unused, second) => from + second));
});

test('by second a key is a number, of which all entries have the TTL', () => {
  expect(bySecond.keys({ shards: '0', from: MINUTE - 0.5, before: MINUTE + 0.5 })).toEqual([
    { value: MINUTE, from: MINUTE, ttl: MINUTE },
  ]);
});

/** What is asked of DynamoDB, and what a page becomes. */
async function ask(props: Omit<ExpiryModelProps, 'partitionKey'>, ...query: Parameters<ReadIndex>) {
  const asked: unknown[] = [];
  const documents = {
    send: async (command: unknown) => {
      if (command instanceof QueryCommand) asked.push(command.input);
      return { Items: [{ id: 'a', ttl: MINUTE }] };
    },
  } as unknown as Documents;
  const settings = settingsOf({ tableName: 'Sessions', partitionKey: 'id', ...props });
  return { page: await indexReader(documents, settings)(...query), asked };
}

const RANGE = { from: MINUTE, upTo: MINUTE + 59 };

test('by window a query asks for a range of TTLs', async () => {
  const { asked } = await ask({}, { value: 'w', from: 0 }, RANGE, 7);
  expect(asked).toMatchObject([
    {
      ...{ IndexName: 'expirationWindowIndex', Limit: 7 },
      KeyConditionExpression: '#window = :window AND #ttl BETWEEN :from AND :upTo',
      ExpressionAttributeValues: { ':window': 'w', ':from': MINUTE, ':upTo': MINUTE + 59 },
    },
  ]);
});

test('by second it asks for the second, which is the only key of the index, and not for one outside of the range', async () => {
  const second = (ttl: number) => ask({ indexedBy: 'second' }, { value: ttl, from: ttl, ttl }, RANGE, 7);
  const { asked, page } = await second(MINUTE);
  expect(asked).toEqual([
    {
      ...{ TableName: 'Sessions', IndexName: 'expirySecondIndex', Limit: 7 },
      KeyConditionExpression: '#ttl = :second',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':second': MINUTE },
    },
  ]);
  expect(page).toEqual({ entries: [{ key: { id: { S: 'a' } }, ttl: MINUTE }], more: false });
  for (const ttl of [MINUTE - 1, MINUTE + 60])
    expect(await second(ttl)).toEqual({ asked: [], page: { entries: [], more: false } });
});

test.each<[string, unknown, object]>([
  ['a text', 'alice', { S: 'alice' }],
  [
    'a number of 38 digits',
    NumberValue.from('12345678901234567890123456789012345678'),
    { N: '12345678901234567890123456789012345678' },
  ],
  ['a number', 17, { N: '17' }],
  ['a bigint', 17n, { N: '17' }],
  ['bytes', new Uint8Array([0, 255]), { B: 'AP8=' }],
])('writes %s', (_name, value, expected) =>
  expect(toItemKey({ id: value, other: 1 }, ['id'])).toEqual({ id: expected }),
);

test('gives back what it wrote, through JSON', () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1 }),
    fc.uint8Array({ minLength: 1 }).map(bytes => Buffer.from(bytes)),
    fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(digits => NumberValue.from(digits)),
  );
  fc.assert(
    fc.property(value, value, (p, s) => {
      const key = JSON.parse(JSON.stringify(toItemKey({ p, s }, ['p', 's'])));
      expect(toNativeKey(key)).toEqual({ p, s });
    }),
  );
});

test('fails for an item that lacks a key attribute, naming it', () => {
  expect(() => toItemKey({ id: 'a' }, ['id', 'when'])).toThrow(
    /^when: expected a key attribute of type S, N or B/,
  );
});

test('names the partition key first', () => {
  expect(keyAttributeNames({ partitionKey: 'p', sortKey: 's' })).toEqual(['p', 's']);
  expect(keyAttributeNames({ partitionKey: 'p' })).toEqual(['p']);
});

test.each([
  [2, 1, 1500],
  [3, 2, 1125],
  [10, 2, 3750],
  [15, 1, 5000],
])('a task of %d s with %d attempts gives each request %d ms', (seconds, attempts, expected) => {
  expect(requestTimeoutMs(seconds, attempts)).toBe(expected);
});

/** A query of a DynamoDB that answers like this. */
async function queried(listener: RequestListener, requestTimeout = 5_000): Promise<QueryCommandOutput> {
  const server = createServer(listener);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const documents = createDocuments(
    { maxAttempts: 1 },
    {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
  );
  const query = new QueryCommand({ TableName: 'any', KeyConditionExpression: 'id = :id' });
  try {
    return await documents.send(query, { requestTimeout });
  } finally {
    documents.destroy();
    server.close();
    server.closeAllConnections();
  }
}

test('a DynamoDB that does not answer in time is busy', async () => {
  const error = await queried(() => undefined, 50).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'TimeoutError' });
  expect(isBusy(error)).toBe(true);
});

test.each<[string | undefined, number | undefined]>([
  ['Fri, 20 Nov 2026 09:00:07 GMT', Date.parse('2026-11-20T09:00:07Z') / 1000],
  ['tomorrow', undefined],
  [undefined, undefined],
])('an answer with the date %s tells its time', async (date, expected) => {
  const answer = await queried((incoming, response) => {
    incoming.resume();
    response.sendDate = false;
    if (date !== undefined) response.setHeader('date', date);
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end('{"Items": [{"id": {"N": "1"}}]}');
  });
  expect(answer.Items).toHaveLength(1);
  expect(answeredAt(answer)).toBe(expected);
});

async function thrownThrough(error: unknown): Promise<unknown> {
  const documents = { send: () => Promise.reject(error) } as unknown as Documents;
  return withoutMessages(documents)
    .send({} as never)
    .catch((thrown: unknown) => thrown);
}

const $metadata = { httpStatusCode: 400, requestId: 'request-1' };
const failure = (more: object) => Object.assign(new Error('not a number: secret'), more);

test.each<[string, Error, 'busy' | 'invalid']>([
  ['a throttled call', new ProvisionedThroughputExceededException({ message: 'secret', $metadata }), 'busy'],
  [
    'a refused one',
    failure({ name: 'ValidationException', $metadata, Item: { id: { S: 'secret' } } }),
    'invalid',
  ],
  ['a broken connection', failure({ code: 'ECONNRESET' }), 'busy'],
  ['a status without a name', failure({ $metadata: { httpStatusCode: 503 } }), 'busy'],
])(
  'the error of %s keeps its name, the id of its request and what to do, and loses what it says',
  async (_what, error, kind) => {
    const thrown = (await thrownThrough(error)) as Error;
    expect([isBusy(thrown), isInvalid(thrown)]).toEqual([kind === 'busy', kind === 'invalid']);
    expect(thrown).toMatchObject({
      name: error.name,
      ...('$metadata' in error && { $metadata: error.$metadata }),
    });
    const everything = `${thrown} ${thrown.stack} ${JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))}`;
    expect(everything).not.toContain('secret');
  },
);

test('what succeeds is answered as it is', async () => {
  const documents = { send: async () => ({ Items: [1] }) } as unknown as Documents;
  expect(await withoutMessages(documents).send({} as never)).toEqual({ Items: [1] });
});
