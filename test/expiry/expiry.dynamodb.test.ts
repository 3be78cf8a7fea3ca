/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  CreateTableCommand,
  DescribeTableCommand,
  GetItemCommand,
  QueryCommand as LowLevelQueryCommand,
  ScanCommand as LowLevelScanCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocument,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  paginateScan,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expiryModel } from '../../expiry/model.ts';
import { notExpired, unlessExpired } from '../../expiry/not-expired.ts';
import { plainDecimal } from '../../expiry/shard.ts';
import { isExpired } from '../../expiry/ttl.ts';
import { withoutExpired } from '../../expiry/without-expired.ts';
import { createExpiringTable } from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { tableInput } from '../support/table-input.ts';

const dynamo = useLocalDynamoDb();
const nowMs = Date.parse('2026-11-20T09:00:30.900Z');
const now = Math.floor(nowMs / 1000);
const FIVE_YEARS = 5 * 365 * 86_400;

type Item = { id: string; name: string; color: string; ttl?: unknown };

/** One for each way to be live or expired that a table with an index on its TTL can hold. */
const NUMBERS: Item[] = [
  { id: 'a', name: 'expired this second', ttl: now, color: 'red' },
  { id: 'a', name: 'expired long ago', ttl: now - 86_400, color: 'blue' },
  { id: 'a', name: 'a second left', ttl: now + 1, color: 'red' },
  { id: 'a', name: 'five years ago', ttl: now - FIVE_YEARS, color: 'red' },
  { id: 'a', name: 'a fraction past', ttl: now - 0.5, color: 'red' },
  { id: 'a', name: 'no ttl', color: 'blue' },
  { id: 'b', name: 'expired alone', ttl: now, color: 'green' },
];
/** What only a table without such an index can hold. */
const OTHERS: Item[] = [
  ...NUMBERS,
  { id: 'a', name: 'a string past', ttl: String(now - 1), color: 'red' },
  { id: 'a', name: 'a map', ttl: { at: now - 1 }, color: 'red' },
  { id: 'a', name: 'null', ttl: null, color: 'blue' },
];
const TABLES: Record<string, Item[]> = { Indexed: NUMBERS, Plain: OTHERS, Users: OTHERS };

const sessions = expiryModel({ partitionKey: 'id', sortKey: 'name' });
const documents = DynamoDBDocumentClient.from(dynamo.client);
const readers = withoutExpired(
  documents,
  {
    Indexed: expiryModel({ partitionKey: 'id', sortKey: 'name', indexedBy: 'second' }),
    Plain: sessions,
    Users: null,
  },
  { now: () => nowMs },
);

const tableOf = (name: string) =>
  tableInput({
    ...{ name, keys: ['id', 'name'], index: null },
    others: [
      { name: 'byColor', keys: ['color'], projection: 'ALL' },
      ...(name === 'Indexed'
        ? [
            { name: 'bySecond', keys: ['ttl'] },
            { name: 'byColorAndTtl', keys: ['color', 'ttl'] },
          ]
        : []),
    ],
  });

beforeAll(async () => {
  for (const [table, items] of Object.entries(TABLES)) {
    await dynamo.client.send(new CreateTableCommand(tableOf(table)));
    const puts = items.map(Item => ({ PutRequest: { Item } }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
  }
});

const liveOf = (items: readonly Item[]) => items.filter(({ ttl }) => !isExpired(ttl, now));
const names = (items: readonly Record<string, unknown>[] | undefined) =>
  (items ?? []).map(item => String(item['name'])).sort();
const live = (table: string, matches: (item: Item) => boolean = () => true) =>
  names(liveOf(TABLES[table] ?? []).filter(matches));

const ofA = (TableName: string): QueryCommandInput => ({
  TableName,
  KeyConditionExpression: 'id = :id',
  ExpressionAttributeValues: { ':id': 'a' },
});

test('a count of a table whose items do not expire has all of them', async () => {
  const { Count } = await readers.send(new ScanCommand({ TableName: 'Users', Select: 'COUNT' }));
  expect(Count).toBe(OTHERS.length);
});

describe.each(['Indexed', 'Plain'])('table %s', TableName => {
  test.each([
    ['expired this second', false],
    ['expired long ago', false],
    ['a second left', true],
    ['no such item', false],
  ])('a Get of %s, whole and projected', async (name, isThere) => {
    const get = { TableName, Key: { id: 'a', name } };
    const whole = await readers.send(new GetCommand(get));
    const part = await readers.send(new GetCommand({ ...get, ProjectionExpression: 'color' }));
    expect(whole.Item).toEqual(isThere ? TABLES[TableName]?.find(item => item.name === name) : undefined);
    expect('Item' in whole).toBe(isThere);
    expect(part.Item && Object.keys(part.Item)).toEqual(isThere ? ['color'] : undefined);
  });
});

test('a BatchGet filters each table by its own model', async () => {
  const keys = OTHERS.map(({ id, name }) => ({ id, name }));
  const { Responses } = await readers.send(
    new BatchGetCommand({
      RequestItems: {
        Indexed: { Keys: keys, ProjectionExpression: '#n', ExpressionAttributeNames: { '#n': 'name' } },
        Plain: { Keys: keys },
        Users: { Keys: keys, ProjectionExpression: '#n', ExpressionAttributeNames: { '#n': 'name' } },
      },
    }),
  );
  expect(names(Responses?.['Indexed'])).toEqual(live('Indexed'));
  expect(Responses?.['Indexed']?.[0]).toEqual({ name: expect.any(String) });
  expect(names(Responses?.['Plain'])).toEqual(live('Plain'));
  expect(names(Responses?.['Users'])).toEqual(names(OTHERS));
});

test('a TransactGet leaves the place of an expired item empty, as that of a missing one', async () => {
  const get = (TableName: string, name: string, more: object = {}) => ({
    Get: { TableName, Key: { id: 'a', name }, ...more },
  });
  const { Responses } = await readers.send(
    new TransactGetCommand({
      TransactItems: [
        get('Plain', 'expired long ago'),
        get('Plain', 'a second left', { ProjectionExpression: 'color' }),
        get('Indexed', 'expired this second', { ProjectionExpression: 'color' }),
        get('Plain', 'no such item'),
        get('Users', 'expired long ago', { ProjectionExpression: 'color' }),
      ],
    }),
  );
  expect(Responses).toEqual([{}, { Item: { color: 'red' } }, {}, {}, { Item: { color: 'blue' } }]);
});

test('what writes, and what describes, is sent as it is', async () => {
  const Key = { id: 'w', name: 'written' };
  await readers.send(new PutCommand({ TableName: 'Plain', Item: { ...Key, ttl: now - 1 } }));
  const { Table } = await readers
    .send(new DescribeTableCommand({ TableName: 'Elsewhere' }))
    .catch(() => ({ Table: undefined }));
  expect(Table).toBeUndefined();
  const { Attributes } = await readers.send(
    new DeleteCommand({ TableName: 'Plain', Key, ReturnValues: 'ALL_OLD' }),
  );
  expect(Attributes).toEqual({ ...Key, ttl: now - 1 });
});

describe('notExpired', () => {
  test('lets a Query with a filter of its own, and a Scan, give the live items alone', async () => {
    const query = {
      ...ofA('Plain'),
      FilterExpression: 'color = :red OR color = :green',
      ExpressionAttributeValues: { ':id': 'a', ':red': 'red', ':green': 'green' },
    };
    const queried = await documents.send(new QueryCommand(notExpired(sessions, query, { nowMs })));
    expect(names(queried.Items)).toEqual(live('Plain', ({ id, color }) => id === 'a' && color === 'red'));
    const scan = notExpired(sessions, { TableName: 'Plain' }, { nowMs });
    expect(names((await documents.send(new ScanCommand(scan))).Items)).toEqual(live('Plain'));
  });

  test('lets a Get with a projection tell what is expired', async () => {
    const get = async (name: string) => {
      const request = { TableName: 'Plain', Key: { id: 'a', name }, ProjectionExpression: 'color' };
      const { Item } = await documents.send(new GetCommand(notExpired(sessions, request, { nowMs })));
      expect(Item).toMatchObject({ color: expect.any(String) });
      return unlessExpired(sessions, Item, { nowMs });
    };
    expect(await get('expired this second')).toBeUndefined();
    expect(await get('a second left')).toBeDefined();
  });
});

describe('the client that was given', () => {
  test('may be a DynamoDBDocument: its methods filter', async () => {
    const methods = withoutExpired(
      DynamoDBDocument.from(dynamo.client),
      { Plain: sessions },
      { now: () => nowMs },
    );
    expect(names((await methods.query(ofA('Plain'))).Items)).toEqual(live('Plain', ({ id }) => id === 'a'));
    expect(
      (await methods.get({ TableName: 'Plain', Key: { id: 'b', name: 'expired alone' } })).Item,
    ).toBeUndefined();
  });

  test('may be the low-level one, also below a document client', async () => {
    const lowLevel = withoutExpired(dynamo.client, { Plain: sessions }, { now: () => nowMs });
    const Key = { id: { S: 'a' }, name: { S: 'expired long ago' } };
    const get = new GetItemCommand({ TableName: 'Plain', Key, ProjectionExpression: 'color' });
    expect(await lowLevel.send(get)).not.toHaveProperty('Item');
    const { Items } = await lowLevel.send(
      new LowLevelQueryCommand({ ...ofA('Plain'), ExpressionAttributeValues: { ':id': { S: 'a' } } }),
    );
    expect(Items?.map(({ name }) => name?.S).sort()).toEqual(live('Plain', ({ id }) => id === 'a'));
    const above = DynamoDBDocumentClient.from(lowLevel);
    expect((await above.send(new ScanCommand({ TableName: 'Plain' }))).Count).toBe(live('Plain').length);
  });

  test('may cache its handlers: they are not shared', async () => {
    const caching = Object.assign(Object.create(Object.getPrototypeOf(dynamo.client)), dynamo.client, {
      config: { ...dynamo.client.config, cacheMiddleware: true },
    }) as typeof dynamo.client;
    const get = () =>
      new GetItemCommand({ TableName: 'Plain', Key: { id: { S: 'b' }, name: { S: 'expired alone' } } });
    expect((await caching.send(get())).Item).toBeDefined();
    const filtering = withoutExpired(caching, { Plain: sessions }, { now: () => nowMs });
    expect((await filtering.send(get())).Item).toBeUndefined();
    expect((await filtering.send(get(), {})).Item).toBeUndefined();
    expect((await filtering.send(get())).Item).toBeUndefined();
  });
});

test('what is read and counted is what the other client reads, minus what is expired', async () => {
  const asked = fc.record({
    from: fc.constantFrom(
      ...[{ TableName: 'Indexed' }, { TableName: 'Plain' }, { TableName: 'Plain', IndexName: 'byColor' }],
      ...['byColor', 'byColorAndTtl'].map(IndexName => ({ TableName: 'Indexed', IndexName })),
    ),
    isQuery: fc.boolean(),
    filtered: fc.boolean(),
    withoutTtl: fc.boolean(),
    pageSize: fc.integer({ min: 2, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ from, isQuery, filtered, withoutTtl, pageSize }) => {
      const byColor = 'IndexName' in from;
      // DynamoDB allows no filter on a key of the index.
      const filters = filtered && from.IndexName !== 'byColorAndTtl';
      const request = {
        ...from,
        ...(filters && { FilterExpression: 'attribute_exists(#ttl)' }),
        ExpressionAttributeNames: {
          ...(filters && { '#ttl': 'ttl' }),
          ...(isQuery && { '#key': byColor ? 'color' : 'id' }),
        },
        ...(isQuery && {
          KeyConditionExpression: '#key = :key',
          ExpressionAttributeValues: { ':key': byColor ? 'red' : 'a' },
        }),
      };
      const projected = {
        ...request,
        ProjectionExpression: withoutTtl ? '#id, #n' : '#id, #n, #ttl',
        ExpressionAttributeNames: {
          ...request.ExpressionAttributeNames,
          ...{ '#id': 'id', '#n': 'name', ...(!withoutTtl && { '#ttl': 'ttl' }) },
        },
      };
      const { ExpressionAttributeNames: names, ...unnamed } = request;
      const counted = { ...(Object.keys(names).length > 0 ? request : unnamed), Select: 'COUNT' as const };
      const read = async (client: DynamoDBDocumentClient, input: QueryCommandInput) => {
        const all = { items: [] as Record<string, unknown>[], count: 0, scanned: 0 };
        // The paginator writes the place of the next page into its input.
        const pages = (isQuery ? paginateQuery : paginateScan)({ client, pageSize }, { ...input });
        for await (const { Items = [], Count = 0, ScannedCount = 0 } of pages) {
          all.items.push(...Items);
          all.count += Count;
          all.scanned += ScannedCount;
        }
        return all;
      };
      const plain = await read(documents, projected);
      const ttlOf = ({ id, name }: Record<string, unknown>) =>
        TABLES[from.TableName]?.find(item => item.id === id && item.name === name)?.ttl;
      const items = plain.items.filter(item => !isExpired(ttlOf(item), now));
      const expected = { items, count: items.length, scanned: plain.scanned };
      expect(await read(readers, projected)).toEqual(expected);
      expect(await read(readers, counted)).toEqual({ ...expected, items: [] });
    }),
    { numRuns: 20 },
  );
});

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
  const { Items = [] } = await dynamo.client.send(new LowLevelScanCommand({ TableName }));
  const stored = new Map(Items.map(({ id, number }) => [id?.S, number?.N]));
  expect(WRITTEN.map(text => [text, plainDecimal(text)])).toEqual(
    WRITTEN.map(text => [text, stored.get(text)]),
  );
});
