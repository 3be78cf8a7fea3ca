/** @jest-environment ./test/support/dynamodb-environment.ts */
import { CreateTableCommand, DynamoDBClient, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { command as backfill } from '../../cli/backfill.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { awsError, fakeClient } from '../support/fake-client.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { ran, testListedActions } from '../support/ran.ts';
import { tableInput } from '../support/table-input.ts';

/** The pace of reading and writing is proved with whole tables. */
jest.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }));

const { client } = useLocalDynamoDb();
const documents = DynamoDBDocumentClient.from(client);
const NOW = Date.parse('2026-11-20T12:00:00Z');
const TTL = NOW / 1_000 + 3_600;
let tables = 0;

/** A table with these items, which nobody stamped. */
async function filled(items: readonly object[]) {
  tables += 1;
  const table: PreciseTtlProps = { tableName: `Backfilled-${tables}`, partitionKey: 'id' };
  const TableName = table.tableName;
  await client.send(new CreateTableCommand(tableInput({ name: TableName, index: null })));
  for (const Item of items) await documents.send(new PutCommand({ TableName, Item }));
  const stored = async () => (await documents.send(new ScanCommand({ TableName }))).Items ?? [];
  return {
    table,
    around: { config: configOf(table), clients: { dynamoDb: client }, now: () => NOW },
    stored,
  };
}

test('writes the window of each TTL once, and leaves what no sweep would delete', async () => {
  const items = [
    { id: 'a', ttl: TTL },
    { id: 'b', ttl: TTL + 0.5, expirationWindow: 'another' },
    { id: 'never' },
    { id: 'ms', ttl: TTL * 1_000 },
    { id: 'text', ttl: `${TTL}` },
    { id: 'old', ttl: 86_400 * 365 },
    { id: 'far', ttl: TTL + 86_400 * 365 * 30 },
    { id: 'minus', ttl: -1 },
  ];
  const { table, around, stored } = await filled(items);
  const dry = await ran(backfill, ['--dry-run'], around);
  expect([dry.exit, dry.question, dry.data]).toMatchObject([
    0,
    undefined,
    { complete: true, counts: { toStamp: 2, stamped: 0 } },
  ]);
  expect(dry.text).toContain('Nothing was written.');
  expect(await stored()).not.toContainEqual(
    expect.objectContaining({ id: 'a', expirationWindow: expect.anything() }),
  );
  const done = await ran(backfill, [], around);
  expect([done.exit, done.question]).toEqual([0, 'Write the windows?']);
  expect(done.data).toMatchObject({
    complete: true,
    counts: { stamped: 2, withoutTtl: 1, failed: 0 },
    refused: {
      ...{ 'ttl-milliseconds': 1, 'ttl-string': 1, 'ttl-too-old': 1, 'ttl-too-far-ahead': 1 },
      'ttl-negative': 1,
    },
  });
  expect(done.text).toContain('refused: ttl-milliseconds   1  the TTL is in milliseconds: a time');
  expect(done.text).toContain(
    'Items that were refused are never deleted: mend their writers, then the items',
  );
  for (const id of ['a', 'b'])
    expect(await stored()).toContainEqual(
      expect.objectContaining({
        id,
        ...expiryAttributes(modelOf(table), { id }, { expiresAt: TTL, nowMs: NOW }),
        ttl: expect.anything(),
      }),
    );
  const again = await ran(backfill, [], around);
  expect(again.data).toMatchObject({ counts: { stamped: 0, rightAlready: 2 } });
});

/** A table of one item whose writes are answered by the test. */
function answering(update: (input: UpdateItemCommandInput) => object) {
  const table: PreciseTtlProps = { tableName: 'Faked', partitionKey: 'id', logKeys: 'full' };
  const dynamoDb = fakeClient(DynamoDBClient, {
    DescribeTable: () => ({ Table: { ...tableInput({ name: 'Faked' }), ItemCount: 1, TableSizeBytes: 100 } }),
    Scan: ({ Segment }) => ({ Items: Segment === 0 ? [{ id: { S: 'a' }, ttl: { N: `${TTL}` } }] : [] }),
    UpdateItem: update,
  });
  return { config: configOf(table), clients: { dynamoDb }, now: () => NOW };
}

test('whoever changes the item meanwhile wins', async () => {
  const around = answering(({ ConditionExpression }) => {
    expect(ConditionExpression).toBe('#ttl = :ttl AND attribute_not_exists(#window)');
    throw awsError('ConditionalCheckFailedException');
  });
  const { exit, data } = await ran(backfill, [], around);
  expect([exit, data]).toMatchObject([0, { counts: { changedMeanwhile: 1 } }]);
});

test('a stop in the middle tells what was written until then', async () => {
  const stop = new AbortController();
  const around = answering(() => {
    stop.abort();
    return {};
  });
  const { exit, text, data } = await ran(backfill, [], { ...around, signal: stop.signal });
  expect([exit, data]).toMatchObject([1, { complete: false, counts: { stamped: 1 } }]);
  expect(text).toMatch(/\n {2}scanned +1\n {2}stamped +1 {2}its window was written$/);
});

test('an item that DynamoDB refuses is named, and the others go on; any other error ends it', async () => {
  const failing = (...error: Parameters<typeof awsError>) =>
    ran(
      backfill,
      [],
      answering(() => Promise.reject(awsError(...error))),
    );
  const { exit, text, data } = await failing('ValidationException', 'Item size has exceeded the maximum');
  expect([exit, data]).toMatchObject([1, { complete: true, counts: { failed: 1 } }]);
  expect(text).toContain(
    'Not written:\n  {"id":{"S":"a"}}: ValidationException: Item size has exceeded the maximum',
  );
  await expect(failing('AccessDeniedException')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('refuses a table with another key than the configuration says, and none', async () => {
  const { around } = await filled([]);
  const other = configOf({ tableName: `Backfilled-${tables}`, partitionKey: 'user', sortKey: 'id' });
  await expect(ran(backfill, [], { ...around, config: other })).rejects.toThrow(
    'with the key user, id, as the configuration says',
  );
  const none = configOf({ tableName: 'Nowhere', partitionKey: 'id' });
  await expect(ran(backfill, [], { ...around, config: none })).rejects.toThrow(
    'table: expected Nowhere in us-east-1, got nothing',
  );
});

testListedActions({ backfill });
