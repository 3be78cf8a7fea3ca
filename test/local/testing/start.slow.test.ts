/** @jest-environment ./test/support/dynamodb-environment.ts */
import { CreateTableCommand, DeleteTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes, expiryModel } from '../../../expiry/index.ts';
import { ensureTable } from '../../../local/dynamodb/tables.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import {
  type LocalPreciseTtl,
  SweepFailedError,
  type TestedConfig,
  type TestOptions,
  withPreciseTtl,
} from '../../../local/testing/index.ts';
import { plainStack } from '../../../stacks/app.ts';
import { configOf } from '../../support/configs.ts';
import { dynamoDbOfFile, useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const SESSIONS = { tableName: 'Sessions', partitionKey: 'id' } as const;
const CONFIG: TestedConfig = { tables: [SESSIONS] };

const { client: ours } = useLocalDynamoDb();
const tables = async () => (await ours.send(new ListTablesCommand({}))).TableNames ?? [];

const START = '2026-11-20T09:00:05Z';
const model = expiryModel({ partitionKey: 'id' });

/** Writes a session that expires so many seconds from now, by the cloud's clock; a negative number: it has expired before. */
async function write(
  { documents, clock }: LocalPreciseTtl,
  id: string,
  ttlSeconds: number,
  TableName = 'Sessions',
) {
  const item = { id, note: { of: id, bytes: Buffer.from('hello'), empty: {} } };
  const expiresAt = Math.floor(clock.now() / 1000) + ttlSeconds;
  const attributes = expiryAttributes(model, item, { expiresAt, nowMs: (expiresAt - 1) * 1000 });
  await documents.send(new PutCommand({ TableName, Item: { ...item, ...attributes } }));
}

const here = (options: TestOptions = {}): TestOptions => ({
  dynamoDbEndpoint: dynamoDbOfFile().endpoint,
  ...(options.clock === 'real' ? {} : { startTime: START }),
  ...options,
});

const using = <T>(use: (local: LocalPreciseTtl) => Promise<T>, options?: TestOptions, config = CONFIG) =>
  withPreciseTtl(config, use, here(options));

async function isThere({ documents }: LocalPreciseTtl, id: string): Promise<boolean> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: 'Sessions', Key: { id }, ConsistentRead: true }),
  );
  return Item !== undefined;
}

test('advance deletes what expires, in its second, and nothing before', async () => {
  await using(async local => {
    await write(local, 'short', 300);
    await write(local, 'long', 301);
    await local.advance('299s');
    expect(await isThere(local, 'short')).toBe(true);
    await local.advance('1s');
    expect([await isThere(local, 'short'), await isThere(local, 'long')]).toEqual([false, true]);
    await local.advance('1s');
    expect(await isThere(local, 'long')).toBe(false);
    expect(local.clock).toMatchObject({ kind: 'virtual' });
    expect(local.clock.now()).toBe(Date.parse(START) + 301_000);
  });
});

test('a tick waits for the minute that it owns; one of a later time goes there first', async () => {
  await using(
    async local => {
      await write(local, 'owned', 100);
      expect(await local.tick()).toMatchObject({ Sessions: { deleted: 1 } });
      expect(local.clock.now()).toBeGreaterThanOrEqual(Date.parse('2026-11-20T09:01:45Z'));
      await write(local, 'later', 3_600);
      const at = '2026-11-20T10:05:00Z';
      expect(await local.tick(at)).toMatchObject({ Sessions: { deleted: 1 } });
      expect(local.clock.now()).toBeGreaterThanOrEqual(Date.parse(at));
    },
    { schedules: false },
  );
});

test('on the real clock what has expired is swept, and time cannot be set', async () => {
  await using(
    async local => {
      await write(local, 'old', -60);
      const iso = (ms: number) => new Date(ms).toISOString();
      const to = iso(Date.now());
      const span = { from: iso(Date.parse(to) - 120_000), to };
      expect(await local.sweep('Sessions', span)).toMatchObject({ deleted: 1 });
      const [expiry] = await local.expiries();
      expect(Date.parse(expiry?.deletedAt ?? '')).toBeGreaterThanOrEqual(
        Math.floor(Date.parse(to) / 1000) * 1000,
      );
      expect(Date.parse(expiry?.deletedAt ?? '')).toBeLessThanOrEqual(Date.now());
      await expect(local.advance('1m')).rejects.toThrow(
        'advance: expected the virtual clock, got the real one',
      );
    },
    { clock: 'real', schedules: false },
    { tables: [{ ...SESSIONS, archive: true }] },
  );
});

test('tables of one deployment are swept in one tick, each with its report', async () => {
  const names = ['Sessions', 'Carts', 'Others'] as const;
  const tables = names.map(tableName => ({ tableName, partitionKey: 'id' }));
  await using(
    async local => {
      const put = (table: string, id: string, ttlSeconds: number) => write(local, id, ttlSeconds, table);
      const overdue = () => local.advance('5m');
      for (const table of names) await put(table, 'overdue', 60);
      await overdue();
      await put('Sessions', 'upcoming', 100);
      // Of its minute and of what lies back there is an execution each; the report has both.
      expect(await local.tick()).toMatchObject({
        Sessions: { found: 2, deleted: 2 },
        Carts: { found: 1, deleted: 1 },
        Others: { found: 1, deleted: 1 },
      });
      await put('Carts', 'again', 60);
      await overdue();
      const scheduledTime = new Date(local.clock.now()).toISOString();
      expect(await local.sweep('Carts', { scheduledTime })).toMatchObject({ found: 1, deleted: 1 });
      await put('Others', 'replayed', 60);
      await overdue();
      await put('Others', 'live', 600);
      const span = { from: START, to: new Date(local.clock.now()).toISOString() };
      expect(await local.sweep('Others', { ...span, dryRun: true })).toMatchObject({
        dryRun: true,
        found: 1,
      });
      expect(await local.sweep('Others', span)).toMatchObject({ found: 1, deleted: 1 });
      expect(await local.sweep('Carts', span)).toMatchObject({ found: 0 });
    },
    { schedules: false },
    { tables },
  );
});

test('two that share a DynamoDB have a journal each, and take theirs with them', async () => {
  await using(async first => {
    const second = { tables: [{ tableName: 'Carts', partitionKey: 'id' }] };
    await using(
      async () => {
        const journals = (await tables()).filter(name => name.endsWith('-journal'));
        expect(new Set(journals).size).toBe(2);
      },
      {},
      second,
    );
    expect(await tables()).toHaveLength(2);
    await write(first, 'short', 130);
    await first.advance('130s');
    expect(await isThere(first, 'short')).toBe(false);
    expect(first.environment).toMatchObject({ AWS_ENDPOINT_URL_DYNAMODB: dynamoDbOfFile().endpoint });
    // The hook of a test may stop it, too.
    await first.stop();
  });
  expect(await tables()).toEqual([]);
});

test('an existing table without its index is refused and stays', async () => {
  const config = { tables: [{ ...SESSIONS, existingTable: true }] };
  const id = { AttributeName: 'id', AttributeType: 'S' as const };
  const KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' as const }];
  await ours.send(
    new CreateTableCommand({
      TableName: 'Sessions',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema,
      AttributeDefinitions: [id],
    }),
  );
  await expect(using(async () => {}, {}, config)).rejects.toThrow(
    /a different table "Sessions":[\s\S]*index expirationWindowIndex: expected .*, got none/,
  );
  expect(await tables()).toEqual(['Sessions']);
  await ours.send(new DeleteTableCommand({ TableName: 'Sessions' }));
});

test('everything is gone after a throw, and the error is the one of the test', async () => {
  let endpoint = '';
  const own = withPreciseTtl(CONFIG, async local => {
    endpoint = local.dynamoDbEndpoint;
    await local.client.send(new ListTablesCommand({}));
    throw new Error('the test says no');
  });
  await expect(own).rejects.toThrow('the test says no');
  await expect(fetch(endpoint)).rejects.toThrow();
  await expect(
    using(async () => {
      expect(await tables()).toEqual(['Sessions', expect.stringMatching(/^precise-ttl-\w+-journal$/)]);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await tables()).toEqual([]);
});

const dropTable = ({ client }: LocalPreciseTtl) =>
  client.send(new DeleteTableCommand({ TableName: 'Sessions' }));

test('a sweep that fails is told to whoever asked for it, of its table alone', async () => {
  const both = { tables: [SESSIONS, { ...SESSIONS, tableName: 'Carts' }] };
  await using(
    async local => {
      await dropTable(local);
      const told = await local.tick().catch((error: unknown) => error);
      expect(told).toBeInstanceOf(SweepFailedError);
      expect(String(told)).toMatch(/the sweep of Sessions with .*: expected SUCCEEDED, got FAILED: /);
      expect(told).toMatchObject({ failures: [{ tableName: 'Sessions', report: { tablesFailed: 1 } }] });
      expect((told as SweepFailedError).failures).toHaveLength(1);
    },
    { schedules: false },
    both,
  );
});

test('a sweep that fails is told by advance, and at the end when nobody was told', async () => {
  await using(async local => {
    await dropTable(local);
    await expect(local.advance('2m')).rejects.toThrow(SweepFailedError);
  });
  const silent = using(async local => {
    await dropTable(local);
    await local.sweep('Sessions', { scheduledTime: '2026-11-20T08:00:00Z' }).catch(() => {});
    await local.advance('2m').catch(() => {});
    await local.tick('2026-11-20T09:10:00Z').catch(() => {});
  });
  await expect(silent).rejects.toThrow(SweepFailedError);
  expect(await tables()).toEqual([]);
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    'a table of another name',
    () => using(local => local.sweep('Session', { scheduledTime: START })),
    'tableName: expected one of the configuration (Sessions), got "Session"',
  ],
  [
    'a start of the real clock',
    () => using(async () => {}, { clock: 'real', startTime: START }),
    'startTime: expected none',
  ],
  [
    'another clock',
    () => using(async () => {}, { clock: 'fast' as never }),
    "clock: expected 'virtual' or 'real', got \"fast\"",
  ],
  [
    'an endpoint elsewhere',
    () => withPreciseTtl(CONFIG, () => {}, { dynamoDbEndpoint: 'https://dynamodb.us-east-1.amazonaws.com' }),
    'dynamoDbEndpoint',
  ],
  ['no configuration', () => withPreciseTtl(undefined as never, () => {}), 'config: expected an object'],
])('refuses %s', async (_what, attempt, message) => {
  await expect(attempt()).rejects.toThrow(message);
  expect(await tables()).toEqual([]);
});

const BUS = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';

test('a test sees what the pipes pass on: the expiries of its items, and no other deletes', async () => {
  // A table of somebody else's has no stream.
  const { tables: theirs } = synthesizedCloud(plainStack(configOf(SESSIONS)));
  for (const table of theirs.filter(({ name }) => name === 'Sessions')) await ensureTable(ours, table);
  const config = { tables: [{ ...SESSIONS, archive: true, events: { to: BUS }, existingTable: true }] };
  await using(
    async local => {
      await write(local, 'first', 200);
      await write(local, 'second', 230);
      await write(local, 'stays', 9_000);
      await write(local, 'deleted', 9_000);
      await local.documents.send(new DeleteCommand({ TableName: 'Sessions', Key: { id: 'deleted' } }));
      expect(await local.expiries()).toEqual([]);
      await local.advance('4m');
      const seen = await local.expiries();
      // At the second of the virtual clock at which each was deleted: the next one, since records are judged.
      const expected = [
        ['first', '2026-11-20T09:03:25.000Z'],
        ['second', '2026-11-20T09:03:55.000Z'],
      ].map(([id, time]) => ({
        table: 'Sessions',
        key: { id: { S: id } },
        expiredAt: time,
        deletedAt: new Date(Date.parse(String(time)) + 1000).toISOString(),
      }));
      const events = seen.filter(({ target }) => target === BUS);
      expect(events).toMatchObject(expected);
      expect(events.map(({ oldImage }) => oldImage)).toEqual([undefined, undefined]);
      const archived = seen.filter(({ target }) => target.includes(':deliverystream/'));
      expect(archived).toMatchObject(expected);
      expect(archived.map(({ oldImage }) => oldImage?.['note'])).toEqual(
        ['first', 'second'].map(id => ({ M: { of: { S: id }, bytes: { B: 'aGVsbG8=' }, empty: { M: {} } } })),
      );
      expect(seen).toHaveLength(4);
    },
    {},
    config,
  );
  await ours.send(new DeleteTableCommand({ TableName: 'Sessions' }));
});
