/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  CreateTableCommand,
  DeleteTableCommand,
  ListTablesCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { folderSource } from '../../../operate/archive/archive-source.ts';
import type { DrillOptions } from '../../../operate/changes.ts';
import { prepareDrill } from '../../../operate/restore/drill.ts';
import { scratchNameOf } from '../../../operate/restore/scratch-name.ts';
import { configOf } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-drill-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const SCRATCH = scratchNameOf('Sessions');

const create = (TableName: string, indexes: readonly string[] = []) =>
  client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
      AttributeDefinitions: ['id', ...indexes].map(AttributeName => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
      ...(indexes.length > 0 && {
        GlobalSecondaryIndexes: indexes.map(IndexName => ({
          IndexName,
          KeySchema: [{ AttributeName: IndexName, KeyType: 'HASH' as const }],
          Projection: { ProjectionType: 'KEYS_ONLY' as const },
        })),
      }),
    }),
  );
const tables = async () => (await client.send(new ListTablesCommand({}))).TableNames;
beforeAll(() => create('Sessions'));
afterEach(async () => {
  expect((await client.send(new ScanCommand({ TableName: 'Sessions' }))).Items).toEqual([]);
});

const TTL = Date.parse('2026-11-20T09:00:00Z') / 1000;
const line = (id: string, more: object = {}) => ({
  table: 'Sessions',
  key: { id: { S: id } },
  expiredAt: '2026-11-20T09:00:00.000Z',
  deletedAt: '2026-11-20T09:00:01.000Z',
  item: { id: { S: id }, ttl: { N: String(TTL) }, ...more },
});
const GOOD = [
  line('digits', { n: { N: '12345678901234567890123456789012345678' }, small: { N: '1.50' } }),
  line('bytes', { b: { B: 'AP8=' }, bs: { BS: ['Ag==', 'AQ=='] } }),
  line('sets', { ss: { SS: ['b', 'a'] }, ns: { NS: ['2', '1.0'] } }),
  line('deep', { m: { M: { z: { NULL: true }, a: { L: [{ BOOL: false }, { S: '' }] } } } }),
  line('digits', { n: { N: '2' } }),
];

let archives = 0;
/** An archive with these lines on the 20th, in a folder of its own. */
function archiveOf(lines: readonly (object | string)[]): string {
  archives += 1;
  const root = join(folder, String(archives));
  const path = join(root, 'Sessions', 'expired_date=2026-11-20');
  mkdirSync(path, { recursive: true });
  const text = lines.map(each => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
  writeFileSync(join(path, 'one.jsonl.gz'), gzipSync(text));
  return root;
}

async function drill(root: string, more: Partial<DrillOptions> = {}) {
  const { apply } = await prepareDrill({
    config: configOf({ tableName: 'Sessions', partitionKey: 'id' }),
    source: folderSource(root),
    clients: { dynamoDb: client },
    ...more,
  });
  return apply();
}

test('restores each line into a scratch table, which is gone afterwards', async () => {
  const result = await drill(archiveOf(GOOD));
  expect(result).toMatchObject({ lines: 5, restored: 5, poisoned: [], full: { lines: 5 } });
  expect(await tables()).toEqual(['Sessions']);
});

test.each<[string, object | string, string]>([
  ['is cut off', JSON.stringify(line('x')).slice(0, 60), 'expected a JSON object'],
  ['has a number that is none', line('x', { n: { N: 'many' } }), 'refuses'],
  ['has a value of another type', line('x', { n: { N: 12 } }), 'expected the item|refuses'],
  ['has bytes that are no base64', line('x', { b: { B: '#' } }), 'got another b back'],
  ['has a type that there is not', line('x', { n: { Q: '1' } }), 'expected values in DynamoDB JSON'],
  ['lacks its key', { ...line('x'), key: undefined }, 'expected lines with a key'],
  ['lacks the key in its item', { ...line('x'), item: { ttl: { N: String(TTL) } } }, "the line's key in id"],
  ['has the item of another key', { ...line('x'), item: line('y').item }, "the line's key in id"],
  ['has another TTL', line('x', { ttl: { N: String(TTL + 60) } }), 'a Number in ttl'],
  [
    'lies under another date',
    { ...line('x', { ttl: { N: String(TTL + 86_400) } }), expiredAt: '2026-11-21T09:00:00.000Z' },
    'expired on 2026-11-20',
  ],
])('finds a line that %s', async (_what, poisoned, message) => {
  const result = await drill(archiveOf([...GOOD, poisoned]));
  expect(result).toMatchObject({ lines: 6, restored: 5 });
  expect(result.poisoned).toEqual([
    expect.stringMatching(new RegExp(`one\\.jsonl\\.gz, line 6: .*(${message})`)),
  ]);
  expect(await tables()).toEqual(['Sessions']);
});

test('takes a sample, and still looks at every line of what it reads', async () => {
  const result = await drill(archiveOf([...GOOD, '{']), { sample: 2 });
  expect(result).toMatchObject({ lines: 6, restored: 2, poisoned: [expect.stringContaining('line 6')] });
});

test('deletes what a drill before it left behind, and touches no other table', async () => {
  await create(SCRATCH, ['precise-ttl-restore-drill']);
  const onLeftBehind = jest.fn();
  await drill(archiveOf(GOOD), { onLeftBehind });
  expect(onLeftBehind).toHaveBeenCalledTimes(1);
  expect(await tables()).toEqual(['Sessions']);
  await create(SCRATCH);
  await client.send(new PutItemCommand({ TableName: SCRATCH, Item: { id: { S: 'mine' } } }));
  await expect(drill(archiveOf(GOOD))).rejects.toThrow('it is not touched');
  expect((await client.send(new ScanCommand({ TableName: SCRATCH }))).Items).toEqual([{ id: { S: 'mine' } }]);
  await client.send(new DeleteTableCommand({ TableName: SCRATCH }));
});

test('deletes the scratch table when it is interrupted, and when it fails', async () => {
  const stop = new AbortController();
  const onObject = () => stop.abort();
  expect(await drill(archiveOf(GOOD), { onObject, signal: stop.signal })).toMatchObject({
    interrupted: true,
  });
  expect(await tables()).toEqual(['Sessions']);
  const fail = () => {
    throw new Error('failed');
  };
  await expect(drill(archiveOf(GOOD), { onObject: fail })).rejects.toThrow('failed');
  expect(await tables()).toEqual(['Sessions']);
});
