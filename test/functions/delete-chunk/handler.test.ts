/** @jest-environment ./test/support/dynamodb-environment.ts */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, NumberValue, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { withExpiry } from '../../../expiry/update.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { deleteChunk } from '../../../functions/delete-chunk/handler.ts';
import type { Runtime } from '../../../functions/runtime/runtime.ts';
import { toItemKey } from '../../../functions/table/item-key.ts';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';
import type { Chunk, DeleteChunkInput } from '../../../statemachine/contract/chunks.ts';
import type { ExpiredKey, ItemKey } from '../../../statemachine/contract/keys.ts';
import { FUNCTION_TIMEOUT_SECONDS } from '../../../statemachine/contract/machines.ts';
import { createExpiringTable, runtimeOf } from '../../support/expiring-table.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();

const DAY = 86_400;
const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
const FIVE_YEARS = 5 * 365 * 86_400;
/** An item that will be five years old when its child may still live is left. */
const CHILD_LIFE = 600;
const expirationWindow = windowKey(windowStart(CUTOFF, DAY), DAY);
const expired = (id: string) => ({ id, ttl: CUTOFF, expirationWindow });
const withTtl = (key: ItemKey, ttl = CUTOFF): ExpiredKey => ({ key, ttl });
const key = (id: string): ExpiredKey => withTtl({ id: { S: id } });
const unpaused = () => ({ isPaused: async () => false });
/** 250 ms after the cutoff. */
const clock = () => CUTOFF * 1000 + 250;

function inputOf(keys: readonly ExpiredKey[], more: Partial<Chunk> = {}): DeleteChunkInput {
  const chunk: Chunk = {
    next: 'delete',
    until: null,
    // With the two seconds of a precise delete, the first batch, which warms DynamoDB Local up, can be too late on a busy machine.
    timeoutSeconds: FUNCTION_TIMEOUT_SECONDS.DeleteChunk,
    deadline: new Date(clock() + 60_000).toISOString(),
    cutoff: CUTOFF,
    planned: false,
    keys,
    progress: null,
    ...more,
  };
  return { chunk, now: new Date(clock()).toISOString() };
}

/** What one attempt at these keys came to, and which of them are left. */
async function deleted(keys: readonly ExpiredKey[], runtime: Runtime) {
  const answer = await deleteChunk(inputOf(keys), { ...runtime, clock }, unpaused);
  return { ...answer.progress, unprocessed: answer.keys };
}

describe('guarded', () => {
  test('counts an item that has an attribute with the name __proto__', async () => {
    const table = await createExpiringTable(dynamo.client);
    const TableName = table.settings.tableName;
    const nested = { M: { ['__proto__']: { S: 'p' }, toString: { S: 't' } } };
    const Item = { id: { S: 'a' }, nested, ttl: { N: String(CUTOFF) }, ['__proto__']: { S: 'p' } };
    await dynamo.client.send(new PutItemCommand({ TableName, Item }));
    await table.put([expired('b')]);
    expect(await deleted([key('a'), key('b')], table.runtime)).toMatchObject({
      ...{ deleted: 2, renewed: 0, unprocessed: [], failed: [] },
    });
    expect(await table.scan()).toEqual([]);
  });

  test('spares an item whose TTL was set to 0 after it was found', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a')]);
    const TableName = table.settings.tableName;
    await table.documents.send(
      new UpdateCommand({
        TableName,
        Key: { id: 'a' },
        UpdateExpression: 'SET #ttl = :never',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':never': 0 },
      }),
    );
    expect(await deleted([key('a')], table.runtime)).toMatchObject({ deleted: 0, renewed: 1 });
    expect(await table.scan()).toHaveLength(1);
  });

  test.each([
    '12345678901234567890123456789012345678',
    '-1.2345678901234567890123456789012345678',
    '0.00012345678901234567890123456789012345678',
  ])('deletes the item whose key is the number %s', async digits => {
    const table = await createExpiringTable(dynamo.client, { partitionKeyType: 'N' });
    await table.put([{ ...expired(''), id: NumberValue.from(digits) }]);
    const found = (await table.scan()).map(item => withTtl(toItemKey(item, ['id'])));
    expect(await deleted(found, table.runtime)).toMatchObject({ deleted: 1, notFound: 0 });
    expect(await table.scan()).toEqual([]);
  });

  test('an answer that is late leaves its key to the next attempt, which spares a renewed item', async () => {
    let batches = 0;
    const faults = await startFaultProxy(dynamo.endpoint, ({ operation }) =>
      operation === 'BatchExecuteStatement' && batches++ === 0 ? { kind: 'slow', ms: 5_000 } : undefined,
    );
    const client = localDynamoDb(faults.endpoint, 'us-east-1');
    try {
      const table = await createExpiringTable(client);
      await table.put([{ ...expired('a'), ttl: CUTOFF + 60 }]);
      const input = inputOf([key('a')], { timeoutSeconds: 0.4 });
      const late = await deleteChunk(input, { ...table.runtime, clock }, unpaused);
      expect(late).toMatchObject({ next: 'wait', keys: [key('a')], progress: { renewed: 0, notFound: 0 } });
      expect(await deleted(late.keys, table.runtime)).toMatchObject({ deleted: 0, renewed: 1 });
      expect(await table.scan()).toHaveLength(1);
    } finally {
      client.destroy();
      await faults.stop();
    }
  });

  test('tells deleted, renewed and not found apart, in one chunk', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([
      expired('expired'),
      expired('renewed'),
      expired('made permanent'),
      expired('gone'),
      { id: 'too old to count', ttl: CUTOFF - FIVE_YEARS + CHILD_LIFE, expirationWindow },
      { id: 'just young enough', ttl: CUTOFF - FIVE_YEARS + CHILD_LIFE + 1, expirationWindow },
      { id: 'a second too early', ttl: CUTOFF + 1, expirationWindow },
    ]);
    const keys = (await table.scan()).map(item => withTtl(toItemKey(item, ['id'])));

    // What happens between the query and the delete.
    const TableName = table.settings.tableName;
    const nowMs = CUTOFF * 1000;
    const update = (id: string, ttlSeconds: number) =>
      new UpdateCommand(withExpiry(table.settings.model, { TableName, Key: { id } }, { ttlSeconds, nowMs }));
    await table.documents.send(update('renewed', 1));
    await table.documents.send(update('made permanent', 0));
    await table.documents.send(new DeleteCommand({ TableName, Key: { id: 'gone' } }));

    expect(await deleted(keys, table.runtime)).toMatchObject({
      deleted: 2,
      renewed: 4,
      notFound: 1,
      unprocessed: [],
      failed: [],
    });
    expect((await table.scan()).map(item => item['id']).sort()).toEqual([
      'a second too early',
      'made permanent',
      'renewed',
      'too old to count',
    ]);
  });

  test('a second call finds everything gone', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a'), expired('b')]);
    const keys = [key('a'), key('b')];
    expect(await deleted(keys, table.runtime)).toMatchObject({ deleted: 2 });
    expect(await deleted(keys, table.runtime)).toMatchObject({
      deleted: 0,
      notFound: 2,
    });
  });

  test('an item that was written again under the same key stays', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a')]);
    const TableName = table.settings.tableName;
    await table.documents.send(new DeleteCommand({ TableName, Key: { id: 'a' } }));
    await table.documents.send(new PutCommand({ TableName, Item: { id: 'a', ttl: CUTOFF + 60 } }));
    expect(await deleted([key('a')], table.runtime)).toMatchObject({
      renewed: 1,
    });
    expect(await table.scan()).toHaveLength(1);
  });

  test('isolates a key of the wrong type and deletes the others', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a'), expired('b')]);
    const wrong = withTtl({ id: { N: '1' } });
    expect(await deleted([key('a'), wrong, key('b')], table.runtime)).toMatchObject({
      deleted: 2,
      failed: [{ key: wrong.key, reason: 'ValidationError' }],
    });
    expect(await table.scan()).toEqual([]);
  });

  test('names with quotes, dots and reserved words do no harm', async () => {
    const table = await createExpiringTable(dynamo.client, {
      partitionKey: 'the "id"',
      sortKey: 'a.b',
      ttlAttribute: 'select',
    });
    await table.put([{ 'the "id"': 'x', 'a.b': "y'", select: CUTOFF, expirationWindow }]);
    const keys = (await table.scan()).map(item => withTtl(toItemKey(item, ['the "id"', 'a.b'])));
    expect(await deleted(keys, table.runtime)).toMatchObject({ deleted: 1 });
  });

  test.each([
    ['ProvisionedThroughputExceeded', 'unprocessed'],
    ['ThrottlingError', 'unprocessed'],
    ['RequestLimitExceeded', 'unprocessed'],
    ['InternalServerError', 'unprocessed'],
    ['TransactionConflict', 'unprocessed'],
    ['ItemCollectionSizeLimitExceeded', 'failed'],
    ['ValidationError', 'failed'],
    ['AccessDenied', 'failed'],
    ['ResourceNotFound', 'failed'],
    ['DuplicateItem', 'failed'],
  ] as const)('a statement that fails with %s leaves its key %s', async (Code, fate) => {
    const table = await createExpiringTable(dynamo.client);
    const send = async () => ({ Responses: [{ Item: { id: 'a' } }, { Error: { Code } }, {}] });
    const keys = [key('a'), key('b'), key('c')];
    expect(await deleted(keys, runtimeOf(table.settings, { send } as never))).toMatchObject({
      deleted: 1,
      renewed: 0,
      notFound: 1,
      unprocessed: fate === 'unprocessed' ? [key('b')] : [],
      failed: fate === 'failed' ? [{ key: key('b').key, reason: Code }] : [],
    });
  });

  test('an answer that says nothing of a key leaves it unprocessed', async () => {
    const table = await createExpiringTable(dynamo.client);
    const runtime = runtimeOf(table.settings, { send: async () => ({ Responses: [] }) } as never);
    expect(await deleted([key('a')], runtime)).toMatchObject({
      unprocessed: [key('a')],
    });
  });
});

describe.each(['guarded', 'batch'] as const)('%s', deleteMode => {
  test.each<['S' | 'N' | 'B', (index: number) => unknown]>([
    ['S', index => `item "${index}" 'ü'`],
    ['N', index => index * 1.5 - 7],
    ['B', index => new Uint8Array([index, 255 - index, 0])],
  ])('deletes keys of type %s, with and without sort key', async (type, value) => {
    for (const sortKey of [undefined, 'when']) {
      const table = await createExpiringTable(dynamo.client, {
        partitionKeyType: type,
        ...(sortKey && { sortKey, sortKeyType: type }),
        deleteMode,
      });
      const item = (index: number, id: number) => ({
        id: value(id),
        ...(sortKey && { [sortKey]: value(index + 100) }),
        ttl: CUTOFF,
        expirationWindow,
      });
      await table.put(Array.from({ length: 25 }, (_unused, index) => item(index, index)));
      const keys = (await table.scan()).map(found =>
        withTtl(toItemKey(found, sortKey ? ['id', sortKey] : ['id'])),
      );
      await table.put([item(99, 99)]);
      const through = JSON.parse(JSON.stringify(keys));
      expect(await deleted(through, table.runtime)).toMatchObject({
        deleted: 25,
        unprocessed: [],
        failed: [],
      });
      expect(await table.scan()).toHaveLength(1);
    }
  });
});

describe.each(['guarded', 'batch'] as const)('%s', deleteMode => {
  test('measures how late each deleted item was, and no other', async () => {
    const table = await createExpiringTable(dynamo.client, { deleteMode });
    await table.put([
      { id: 'on time', ttl: CUTOFF, expirationWindow },
      { id: 'a minute late', ttl: CUTOFF - 60, expirationWindow },
    ]);
    const keys = [key('on time'), withTtl({ id: { S: 'a minute late' } }, CUTOFF - 60)];
    const { lagCounts, lagMaxMs } = await deleted(keys, table.runtime);
    expect(lagMaxMs).toBe(60_250);
    expect(Object.values(lagCounts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(2);
  });
});

describe('batch', () => {
  test('hands back exactly what DynamoDB left unprocessed', async () => {
    const table = await createExpiringTable(dynamo.client, { deleteMode: 'batch' });
    const left = { DeleteRequest: { Key: { id: 'b' } } };
    const send = async () => ({ UnprocessedItems: { [table.settings.tableName]: [left] } });
    const runtime = runtimeOf(table.settings, { send } as never);
    expect(await deleted([key('a'), key('b'), key('c')], runtime)).toMatchObject({
      deleted: 2,
      renewed: 0,
      notFound: 0,
      unprocessed: [key('b')],
      failed: [],
    });
  });
});

test('fails when the table is not there', async () => {
  const table = await createExpiringTable(dynamo.client, { deleteMode: 'batch' });
  const runtime = runtimeOf({ ...table.settings, tableName: 'no-such-table' }, table.documents);
  await expect(deleted([key('a')], runtime)).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test("gives up on an answer within three quarters of the task's time limit", async () => {
  const table = await createExpiringTable(dynamo.client);
  const options: unknown[] = [];
  const send = async (_command: unknown, option: unknown) => {
    options.push(option);
    return { Responses: [{ Item: { id: 'a' } }] };
  };
  const runtime = { ...runtimeOf(table.settings, { send } as never), clock };
  await deleteChunk(inputOf([key('a')], { timeoutSeconds: 2 }), runtime, unpaused);
  await deleteChunk(inputOf([key('a')], { timeoutSeconds: 15 }), runtime, unpaused);
  expect(options).toEqual([{ requestTimeout: 1500 }, { requestTimeout: 5000 }]);
});

test("the machine's clock decides whether there is time, not the function's", async () => {
  const table = await createExpiringTable(dynamo.client);
  await table.put([expired('a')]);
  const { chunk, now } = inputOf([key('a')]);
  const late = new Date(Date.parse(chunk.deadline)).toISOString();
  expect(await deleteChunk({ chunk, now: late }, { ...table.runtime, clock }, unpaused)).toMatchObject({
    next: 'done',
    progress: null,
  });
  const aDayOn = () => clock() + 86_400_000;
  expect(await deleteChunk({ chunk, now }, { ...table.runtime, clock: aDayOn }, unpaused)).toMatchObject({
    progress: { deleted: 1 },
  });
});
