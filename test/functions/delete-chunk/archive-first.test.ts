/** @jest-environment ./test/support/dynamodb-environment.ts */
import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, NumberValue, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import fc from 'fast-check';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import type { CopyArchive } from '../../../functions/delete-chunk/archive-first.ts';
import type { CopyLine, MarkLine } from '../../../functions/delete-chunk/copies.ts';
import { deleteChunk } from '../../../functions/delete-chunk/handler.ts';
import { toItemKey } from '../../../functions/table/item-key.ts';
import { startFaultProxy } from '../../../lab/faults/index.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import type { ExpiredKey } from '../../../statemachine/contract/keys.ts';
import { anyImage } from '../../support/any-image.ts';
import { useCopyArchive } from '../../support/copy-archive.ts';
import { createExpiringTable, type ExpiringTable } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const s3 = useCopyArchive();

const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
const EXPIRED_AT = '2026-11-20T09:00:30.000Z';
const expirationWindow = windowKey(windowStart(CUTOFF, 60), 60);
const expired = (id: string, more: object = {}) => ({ id, ttl: CUTOFF, expirationWindow, ...more });
const key = (id: string, ttl = CUTOFF): ExpiredKey => ({ key: { id: { S: id } }, ttl });
const clock = () => CUTOFF * 1000 + 250;

interface Attempt {
  readonly archive?: CopyArchive;
  /** @default it stands still */
  readonly time?: () => number;
  readonly chunk?: Partial<Chunk>;
}

/** What one attempt at these keys came to, and which of them are left. */
async function attempt(
  table: ExpiringTable,
  keys: readonly ExpiredKey[],
  { archive, chunk, time = clock }: Attempt = {},
) {
  const given: Chunk = {
    next: 'delete',
    until: null,
    timeoutSeconds: 15,
    deadline: new Date(clock() + 60_000).toISOString(),
    cutoff: CUTOFF,
    once: false,
    keys,
    progress: null,
    ...chunk,
  };
  const input = { chunk: given, now: new Date(clock()).toISOString() };
  const answer = await deleteChunk(input, { ...table.runtime, clock: time }, archive ?? s3.archive);
  return { ...answer.progress, unprocessed: answer.keys, chunk: answer };
}

/** The archive, with something that happens after the first put was answered and before the delete. */
function thenBetween(change: () => Promise<unknown>): CopyArchive {
  const { settings, put } = s3.archive;
  let isFirst = true;
  return {
    settings,
    put: async (object, options) => {
      await put(object, options);
      if (isFirst) {
        isFirst = false;
        await change();
      }
    },
  };
}

const copies = () => s3.lines<CopyLine>('/before_deletion/');
const marks = () => s3.lines<MarkLine>('/kept/');
const ids = async (table: ExpiringTable) => (await table.scan()).map(item => item['id']).sort();

const EVERY_TYPE: Record<string, AttributeValue> = {
  S: { S: 'ü "quoted"' },
  emptyS: { S: '' },
  N: { N: '12345678901234567890123456789012345678' },
  B: { B: Buffer.from([0, 1, 255]) },
  emptyB: { B: Buffer.alloc(0) },
  BOOL: { BOOL: false },
  NULL: { NULL: true },
  L: { L: [{ N: '1.50' }, { NULL: true }, { L: [] }, { M: {} }] },
  M: { M: { 'a.b': { N: '-0.1' }, b: { B: Buffer.from('b') }, m: { M: { ss: { SS: ['x', 'y'] } } } } },
  emptyL: { L: [] },
  emptyM: { M: {} },
  SS: { SS: ['b', 'a'] },
  NS: { NS: ['3', '1.5'] },
  BS: { BS: [Buffer.from('b'), Buffer.from('a')] },
  'na"me.with [0] ?': { S: 'x' },
  // Names that objects of JavaScript have anyway. The SDK hands the first one out as undefined.
  ['__proto__']: { S: 'p' },
  constructor: {
    M: { ['__proto__']: { B: Buffer.from([1]) }, toString: { L: [{ M: { ['__proto__']: { N: '1' } } }] } },
  },
  toString: { N: '2' },
};

test('puts an image with every type of value into the archive, and then deletes the item', async () => {
  const table = await createExpiringTable(dynamo.client);
  const TableName = table.settings.tableName;
  const Item = {
    id: { S: 'a' },
    ttl: { N: String(CUTOFF) },
    expirationWindow: { S: expirationWindow },
    ...EVERY_TYPE,
  };
  await dynamo.client.send(new PutItemCommand({ TableName, Item }));
  expect(await attempt(table, [key('a'), key('gone')])).toMatchObject({
    deleted: 1,
    notFound: 1,
    unprocessed: [],
    failed: [],
  });
  expect(await table.scan()).toEqual([]);
  const [object = ''] = [...(await s3.objects()).keys()];
  expect(object).toMatch(
    new RegExp(`^law/${TableName}/before_deletion/expired_date=2026-11-20/[0-9a-f]{64}\\.jsonl\\.gz$`),
  );
  const [line] = await copies();
  expect(line).toMatchObject({ table: TableName, key: { id: { S: 'a' } }, expiredAt: EXPIRED_AT });
  expect(line?.item).toMatchObject({
    N: { N: '12345678901234567890123456789012345678' },
    B: { B: 'AAH/' },
    M: { M: { b: { B: 'Yg==' } } },
    NULL: { NULL: true },
    ['__proto__']: { S: 'p' },
    constructor: {
      M: { ['__proto__']: { B: 'AQ==' }, toString: { L: [{ M: { ['__proto__']: { N: '1' } } }] } },
    },
  });
  expect(Object.keys(line?.item ?? {}).sort()).toEqual(Object.keys(Item).sort());
});

/** What DynamoDB answers, without the SDK. */
async function request<Answer>(operation: string, body: object): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': `DynamoDB_20120810.${operation}`,
    Authorization: 'AWS4-HMAC-SHA256 Credential=local/20261120/us-east-1/dynamodb/aws4_request, Signature=0',
  };
  const answer = await fetch(dynamo.endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return JSON.parse(text);
}

test('any item that DynamoDB has stored is in the archive as it was, and is deleted', async () => {
  const table = await createExpiringTable(dynamo.client);
  const TableName = table.settings.tableName;
  let written = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyImage, { minLength: 1, maxLength: 5 }), async images => {
      const stored = new Map<string, unknown>();
      for (const image of images) {
        written += 1;
        const Item = { ...image, id: { S: `item-${written}` }, ttl: { N: String(CUTOFF) } };
        await request('PutItem', { TableName, Item });
        const read = { TableName, Key: { id: Item.id }, ConsistentRead: true };
        stored.set(Item.id.S, (await request<{ Item: object }>('GetItem', read)).Item);
      }
      const keys = [...stored.keys()].map(id => key(id));
      const outcome = await attempt(table, keys);
      expect(outcome).toMatchObject({ deleted: images.length, unprocessed: [], failed: [] });
      const archived = new Map(
        (await copies()).map(line => [(line.key['id'] as { S: string }).S, line.item] as const),
      );
      for (const [id, item] of stored) expect(isDeepStrictEqual(archived.get(id), item)).toBe(true);
    }),
    { numRuns: 25 },
  );
});

test('an image that cannot be written fails its key, and the item stays', async () => {
  const table = await createExpiringTable(dynamo.client);
  await table.put([expired('a'), expired('b')]);
  // A type that DynamoDB may get: no plain form of it is known.
  const real = table.documents;
  const isRead = (
    answer: unknown,
  ): answer is { Responses: Record<string, { id: { S: string }; new?: object }[]> } =>
    typeof answer === 'object' && !Array.isArray((answer as { Responses?: unknown }).Responses);
  const send = async (...args: Parameters<typeof real.send>) => {
    const answer: unknown = await real.send(...args);
    if (isRead(answer)) {
      for (const image of answer.Responses[table.settings.tableName] ?? [])
        if (image.id.S === 'a') image.new = { VECTOR: ['1'] };
    }
    return answer;
  };
  const archive = { ...s3.archive, settings: { ...s3.archive.settings, archiveFormat: 'json' as const } };
  const runtime = { ...table.runtime, documents: { send: send as typeof real.send } };
  expect(await attempt({ ...table, runtime }, [key('a'), key('b')], { archive })).toMatchObject({
    ...{ deleted: 1, unprocessed: [], failed: [{ key: { id: { S: 'a' } }, reason: 'UnwritableImage' }] },
  });
  expect(await ids(table)).toEqual(['a']);
});

describe('what happens between the copy and the delete', () => {
  const update = (table: ExpiringTable, UpdateExpression: string, values?: Record<string, unknown>) =>
    table.documents.send(
      new UpdateCommand({
        TableName: table.settings.tableName,
        Key: { id: 'a' },
        UpdateExpression,
        ...(UpdateExpression.includes('#ttl') && { ExpressionAttributeNames: { '#ttl': 'ttl' } }),
        ...(values && { ExpressionAttributeValues: values }),
      }),
    );
  const put = (table: ExpiringTable, item: object) =>
    table.documents.send(new PutCommand({ TableName: table.settings.tableName, Item: { id: 'a', ...item } }));
  const remove = (table: ExpiringTable) =>
    table.documents.send(new DeleteCommand({ TableName: table.settings.tableName, Key: { id: 'a' } }));

  test.each([
    ['renewed', (table: ExpiringTable) => update(table, 'SET #ttl = :v', { ':v': CUTOFF + 60 }), 'renewed'],
    ['made permanent', (table: ExpiringTable) => update(table, 'REMOVE #ttl'), 'renewed'],
    ['given a TTL of 0', (table: ExpiringTable) => update(table, 'SET #ttl = :v', { ':v': 0 }), 'renewed'],
    [
      'deleted and written again',
      async (table: ExpiringTable) => {
        await remove(table);
        await put(table, { ttl: CUTOFF + 60, n: 1 });
      },
      'renewed',
    ],
  ])('an item that is %s stays, and its copy is marked', async (_name, change, kept) => {
    const table = await createExpiringTable(dynamo.client, { holdAttribute: 'legalHold' });
    await table.put([expired('a', { n: 1 }), expired('b')]);
    const outcome = await attempt(table, [key('a'), key('b')], { archive: thenBetween(() => change(table)) });
    expect(outcome).toMatchObject({ deleted: 1, renewed: 0, held: 0, unprocessed: [], [kept]: 1 });
    expect(await ids(table)).toEqual(['a']);
    expect(await marks()).toEqual([
      { table: table.settings.tableName, key: { id: { S: 'a' } }, expiredAt: EXPIRED_AT, kept, copy: null },
    ]);
  });

  test('an item that is held stays, and its copy is not marked: it is still to be deleted', async () => {
    const table = await createExpiringTable(dynamo.client, { holdAttribute: 'legalHold' });
    await table.put([expired('a')]);
    const hold = () => update(table, 'SET legalHold = :v', { ':v': 'court' });
    const first = await attempt(table, [key('a')], { archive: thenBetween(hold) });
    expect(first).toMatchObject({ deleted: 0, held: 1, renewed: 0, unprocessed: [] });
    await update(table, 'REMOVE legalHold');
    expect(await attempt(table, [key('a')])).toMatchObject({ deleted: 1 });
    expect([(await copies()).length, await marks()]).toEqual([1, []]);
  });

  test.each([
    ['has another value', (table: ExpiringTable) => update(table, 'SET n = :v', { ':v': 2 })],
    [
      'has another value deep inside',
      (table: ExpiringTable) => update(table, 'SET m.l[1] = :v', { ':v': 2 }),
    ],
    ['has an attribute less', (table: ExpiringTable) => update(table, 'REMOVE n')],
    [
      'has another TTL, expired too',
      (table: ExpiringTable) => update(table, 'SET #ttl = :v', { ':v': CUTOFF - 90_000 }),
    ],
  ])('an item that %s is unprocessed, and goes with its new image', async (_name, change) => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a', { n: 1, m: { l: [0, 1] } })]);
    const first = await attempt(table, [key('a')], { archive: thenBetween(() => change(table)) });
    expect(first).toMatchObject({ deleted: 0, renewed: 0, throttled: 0, unprocessed: [key('a')] });
    const [old] = [...(await s3.objects('/before_deletion/')).keys()];
    const [left] = await table.scan();
    // With another TTL no further copy has the one of the mark, which then stands for all.
    const copy = left?.['ttl']?.toString() === String(CUTOFF) ? old : null;
    expect(await marks()).toMatchObject([{ kept: 'changed', copy, expiredAt: EXPIRED_AT }]);

    const second = await attempt(table, first.unprocessed, { chunk: first.chunk });
    expect(second).toMatchObject({ deleted: 1, unprocessed: [] });
    const archived = await copies();
    expect(archived).toHaveLength(2);
    const [ttl, n] = [left?.['ttl'], left?.['n']].map(value => value && { N: String(value) });
    expect(archived.map(({ item }) => [item['ttl'], item['n']])).toContainEqual([ttl, n]);
  });

  test('an attribute that is added is in a second copy', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a'), expired('b')]);
    const archive = thenBetween(() => update(table, 'SET added = :v', { ':v': 'later' }));
    expect(await attempt(table, [key('a'), key('b')], { archive })).toMatchObject({
      deleted: 2,
      unprocessed: [],
    });
    const archived = await copies();
    expect(archived.map(({ key: { id }, item }) => [id, item['added']])).toEqual(
      expect.arrayContaining([
        [{ S: 'a' }, undefined],
        [{ S: 'b' }, undefined],
        [{ S: 'a' }, { S: 'later' }],
      ]),
    );
    expect(archived).toHaveLength(3);
  });

  test('an item that somebody else deletes is not found', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a')]);
    const outcome = await attempt(table, [key('a')], { archive: thenBetween(() => remove(table)) });
    expect(outcome).toMatchObject({ deleted: 0, notFound: 1, unprocessed: [] });
    expect(await marks()).toEqual([]);
  });
});

test('what is held or renewed by then is not copied; what was renewed is marked, should an earlier call have copied it', async () => {
  const table = await createExpiringTable(dynamo.client, { holdAttribute: 'legalHold' });
  const renewed = expired('renewed', { ttl: CUTOFF + 60 });
  await table.put([expired('held', { legalHold: true }), renewed, expired('a')]);
  const outcome = await attempt(
    table,
    ['held', 'renewed', 'a'].map(id => key(id)),
  );
  expect(outcome).toMatchObject({ deleted: 1, held: 1, renewed: 1, unprocessed: [] });
  expect(await copies()).toHaveLength(1);
  expect(await marks()).toEqual([
    {
      table: table.settings.tableName,
      key: { id: { S: 'renewed' } },
      expiredAt: EXPIRED_AT,
      kept: 'renewed',
      copy: null,
    },
  ]);
});

describe('S3', () => {
  test.each([
    ['is throttled', { kind: 'refuse', error: 'SlowDown', status: 503 }],
    ['fails', { kind: 'refuse', error: 'InternalError', status: 500 }],
    ['is too slow to read', { kind: 'refuse', error: 'RequestTimeout', status: 400 }],
    ['breaks the connection', { kind: 'cut', done: false }],
    ['breaks it after the put', { kind: 'cut', done: true }],
    ['hangs', { kind: 'hang', done: false }],
    ['hangs after the put', { kind: 'hang', done: true }],
  ] as const)('%s: nothing is deleted, every key is unprocessed', async (_name, fault) => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a'), expired('b'), expired('renewed', { ttl: CUTOFF + 60 })]);
    s3.fault = () => fault;
    const keys = ['a', 'b', 'renewed', 'gone'].map(id => key(id));
    const chunk = { timeoutSeconds: 1 };
    const first = await attempt(table, keys, { chunk });
    expect(first).toMatchObject({ deleted: 0, renewed: 0, notFound: 1, throttled: 0 });
    expect(first.unprocessed.map(each => each.key['id'])).toEqual(
      expect.arrayContaining([{ S: 'a' }, { S: 'b' }, { S: 'renewed' }]),
    );
    expect(first.chunk.next).toBe('wait');
    expect(await ids(table)).toEqual(['a', 'b', 'renewed']);
    s3.fault = undefined;
    const second = await attempt(table, first.unprocessed, { chunk: first.chunk });
    expect(second).toMatchObject({ deleted: 2, renewed: 1, unprocessed: [] });
    // The same images are the same object, whoever put it first.
    expect([...(await s3.objects('/before_deletion/')).keys()]).toHaveLength(1);
  });

  test.each([
    ['AccessDenied', 403],
    ['PermanentRedirect', 301],
    ['NoSuchBucket', 404],
  ])('refuses for good (%s): the call fails, nothing is deleted', async (error, status) => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a')]);
    s3.fault = () => ({ kind: 'refuse', error, status });
    await expect(attempt(table, [key('a')])).rejects.toMatchObject({ name: error });
    expect(await ids(table)).toEqual(['a']);
  });

  test('takes one of two dates: only its items are deleted', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('today'), expired('yesterday', { ttl: CUTOFF - 86_400 })]);
    let puts = 0;
    s3.fault = () => (puts++ === 0 ? { kind: 'refuse', error: 'SlowDown', status: 503 } : undefined);
    const outcome = await attempt(table, [key('today'), key('yesterday', CUTOFF - 86_400)]);
    expect(outcome).toMatchObject({ deleted: 1 });
    const [archived] = await copies();
    expect(await ids(table)).not.toContain(archived?.key['id']);
    expect(outcome.unprocessed.map(each => each.key['id'])).not.toContainEqual(archived?.key['id']);
  });

  test('takes the copy and not its mark: the item stays until it has taken both', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a')]);
    // Found with another TTL, with which an earlier call may have copied it.
    const found = [key('a', CUTOFF - 60)];
    s3.fault = ({ target }) =>
      target.includes('/kept/') ? { kind: 'refuse', error: 'SlowDown', status: 503 } : undefined;
    const first = await attempt(table, found);
    expect(first).toMatchObject({ deleted: 0, renewed: 0, unprocessed: found });
    expect([(await copies()).length, await ids(table)]).toEqual([1, ['a']]);
    s3.fault = undefined;
    expect(await attempt(table, found)).toMatchObject({ deleted: 1, unprocessed: [] });
    expect(await marks()).toMatchObject([{ kept: 'changed', copy: null }]);
  });

  test('answers when there is no time for a delete any more: nothing is deleted, every key is unprocessed', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a'), expired('b')]);
    let now = clock();
    const archive = thenBetween(async () => {
      now += 11_250;
    });
    const keys = [key('a'), key('b')];
    // Three quarters of the 15 seconds are over.
    expect(await attempt(table, keys, { archive, time: () => now })).toMatchObject({
      deleted: 0,
      unprocessed: keys,
    });
    expect([(await copies()).length, await ids(table)]).toEqual([2, ['a', 'b']]);
  });

  test('does not take the mark after the delete: the key is unprocessed, and the deletions count', async () => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a'), expired('b')]);
    const TableName = table.settings.tableName;
    const archive = thenBetween(async () => {
      await table.documents.send(new PutCommand({ TableName, Item: expired('a', { ttl: CUTOFF + 60 }) }));
      s3.fault = () => ({ kind: 'refuse', error: 'AccessDenied', status: 403 });
    });
    const first = await attempt(table, [key('a'), key('b')], { archive });
    expect(first).toMatchObject({ deleted: 1, renewed: 0, unprocessed: [key('a')] });
    s3.fault = undefined;
    expect(await attempt(table, first.unprocessed, { chunk: first.chunk })).toMatchObject({
      deleted: 1,
      renewed: 1,
      unprocessed: [],
    });
    expect(await marks()).toMatchObject([{ key: { id: { S: 'a' } }, copy: null }]);
  });
});

test.each([1, 1.002, 2])(
  'a mark that S3 does not take at once is put again, with %d seconds in all',
  async timeoutSeconds => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([expired('a')]);
    const TableName = table.settings.tableName;
    const archive = thenBetween(async () => {
      await table.documents.send(new PutCommand({ TableName, Item: expired('a', { ttl: CUTOFF + 60 }) }));
      let puts = 0;
      s3.fault = () => (puts++ === 0 ? { kind: 'refuse', error: 'SlowDown', status: 503 } : undefined);
    });
    const outcome = await attempt(table, [key('a')], { archive, chunk: { timeoutSeconds } });
    expect(outcome).toMatchObject({ renewed: 1, unprocessed: [] });
    expect(await marks()).toHaveLength(1);
  },
);

describe('DynamoDB', () => {
  test('is asked for what it has now, not for what it had', async () => {
    const asked: unknown[] = [];
    const faults = await startFaultProxy({
      target: dynamo.endpoint,
      choose: ({ operation, body }) => {
        if (operation === 'BatchGetItem') asked.push(...Object.values(body['RequestItems'] as object));
        return undefined;
      },
    });
    const client = localDynamoDb(faults.endpoint, 'us-east-1');
    try {
      const table = await createExpiringTable(client);
      await table.put([expired('a')]);
      expect(await attempt(table, [key('a')])).toMatchObject({ deleted: 1 });
      expect(asked).toEqual([{ Keys: [{ id: { S: 'a' } }], ConsistentRead: true }]);
    } finally {
      client.destroy();
      await faults.stop();
    }
  });

  test('leaves keys unread: these are unprocessed, the others are deleted', async () => {
    const errors = new Map([[1, 'any']]);
    const faults = await startFaultProxy({
      target: dynamo.endpoint,
      choose: ({ operation }) =>
        operation === 'BatchGetItem'
          ? { name: 'unprocessed', effect: { kind: 'leaveOut', errors: errors } }
          : undefined,
    });
    const client = localDynamoDb(faults.endpoint, 'us-east-1');
    try {
      const table = await createExpiringTable(client);
      await table.put(['a', 'b', 'c'].map(id => expired(id)));
      const outcome = await attempt(
        table,
        ['a', 'b', 'c'].map(id => key(id)),
      );
      // Asked for again by itself it is the first key of the batch, which is answered.
      expect(outcome).toMatchObject({ deleted: 3, throttled: 0, unprocessed: [] });
      await table.put(['a', 'b', 'c'].map(id => expired(id)));
      errors.set(0, 'any');
      const throttled = await attempt(
        table,
        ['a', 'b', 'c'].map(id => key(id)),
      );
      expect(throttled).toMatchObject({
        ...{ deleted: 1, notFound: 0, throttled: 2, unprocessed: [key('a'), key('b')] },
      });
    } finally {
      client.destroy();
      await faults.stop();
    }
  });

  test('is busy with a statement: its key is unprocessed although its copy is there', async () => {
    const faults = await startFaultProxy({
      target: dynamo.endpoint,
      choose: ({ operation }) =>
        operation === 'BatchExecuteStatement'
          ? {
              name: 'unprocessed',
              effect: {
                kind: 'leaveOut',
                errors: new Map([
                  [0, 'ThrottlingError'],
                  [1, 'AccessDenied'],
                ]),
              },
            }
          : undefined,
    });
    const client = localDynamoDb(faults.endpoint, 'us-east-1');
    try {
      const table = await createExpiringTable(client);
      await table.put(['a', 'b', 'c'].map(id => expired(id)));
      expect(
        await attempt(
          table,
          ['a', 'b', 'c'].map(id => key(id)),
        ),
      ).toMatchObject({
        deleted: 1,
        throttled: 1,
        unprocessed: [key('a')],
        failed: [{ key: { id: { S: 'b' } }, reason: 'AccessDenied' }],
      });
    } finally {
      client.destroy();
      await faults.stop();
    }
  });
});

describe('an item with more attributes than a condition takes', () => {
  const wide = (id: string) =>
    expired(
      id,
      Object.fromEntries(Array.from({ length: 300 }, (_unused, index) => [`a${1000 + index}`, index])),
    );
  const set = (table: ExpiringTable, name: string, value: number) =>
    table.documents.send(
      new UpdateCommand({
        TableName: table.settings.tableName,
        Key: { id: 'a' },
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );

  test.each([
    ['a compared one', 'a1000', { deleted: 0, unprocessed: [key('a')] }, 1],
    // Deleted as it is, which the answer shows.
    ['one of the others', 'a1299', { deleted: 1, unprocessed: [] }, 2],
    ['none', undefined, { deleted: 1, unprocessed: [] }, 1],
  ])('when %s changes', async (_name, name, outcome, copied) => {
    const table = await createExpiringTable(dynamo.client);
    await table.put([wide('a')]);
    const archive = thenBetween(async () => name && set(table, name, -1));
    expect(await attempt(table, [key('a')], { archive })).toMatchObject({ failed: [], ...outcome });
    expect(await copies()).toHaveLength(copied);
  });
});

test('large items go in several batches', async () => {
  const operations: string[] = [];
  const faults = await startFaultProxy({
    target: dynamo.endpoint,
    onCall: ({ operation, keys }) => {
      if (operation === 'BatchExecuteStatement') operations.push(String(keys.length));
    },
  });
  const client = localDynamoDb(faults.endpoint, 'us-east-1');
  try {
    const table = await createExpiringTable(client);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const id of names) await table.put([expired(id, { text: 'x'.repeat(390_000) })]);
    expect(
      await attempt(
        table,
        names.map(id => key(id)),
      ),
    ).toMatchObject({ deleted: 5, unprocessed: [] });
    // Two of them are less than 1 MiB, three are more.
    expect(operations.sort()).toEqual(['1', '2', '2']);
    expect(await copies()).toHaveLength(5);
  } finally {
    client.destroy();
    await faults.stop();
  }
});

test.each([
  ['N', '12345678901234567890123456789012345678'],
  ['N', '-0.00012345678901234567890123456789012345678'],
  ['N', '1E+125'],
  ['B', 'AP8B'],
] as const)('finds the item again whose key is the %s %s', async (type, value) => {
  const table = await createExpiringTable(dynamo.client, { partitionKeyType: type });
  const id = type === 'N' ? NumberValue.from(value) : Buffer.from(value, 'base64');
  await table.put([{ ...expired(''), id }]);
  const found = (await table.scan()).map(item => ({ key: toItemKey(item, ['id']), ttl: CUTOFF }));
  expect(await attempt(table, found)).toMatchObject({ deleted: 1, notFound: 0, unprocessed: [] });
});

test('with deleteMode batch too, nothing is deleted without its copy', async () => {
  const table = await createExpiringTable(dynamo.client, { deleteMode: 'batch' });
  await table.put([expired('a')]);
  s3.fault = () => ({ kind: 'refuse', error: 'SlowDown', status: 503 });
  expect(await attempt(table, [key('a')])).toMatchObject({ deleted: 0, unprocessed: [key('a')] });
});
