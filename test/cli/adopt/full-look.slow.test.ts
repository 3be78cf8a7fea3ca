/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttributeValue,
  DescribeTableCommand,
  GetItemCommand,
  paginateScan,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { jsonAnswer } from 'aws-on-loopback/dynamodb/answer';
import { type CallHandler, DynamoDbProxy } from 'aws-on-loopback/dynamodb/proxy';
import type { StoredItem } from '../../../operate/table/sample.ts';
import { type AdoptChanges, makeTableWithParts, runAdoptJob } from '../../support/adopt-job.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const { client, endpoint } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-full-look-test-'));
const { env } = process;
const stops: (() => unknown)[] = [];
const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const YEAR = 365 * DAY;

afterEach(async () => {
  process.env = env;
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const makeTable = (name: string, items: readonly StoredItem[]) => makeTableWithParts(client, name, items);

const PART = { B: Uint8Array.of(0) };
const item = (id: string, ttl?: AttributeValue, more: StoredItem = {}): StoredItem => ({
  id: { S: id },
  part: PART,
  ...(ttl && { ttl }),
  ...more,
});
const number = (ttl: number) => ({ N: String(ttl) });
const many = (count: number, make: (n: number) => StoredItem) =>
  Array.from({ length: count }, (_, n) => make(n));

const run = (tableName: string, options: AdoptChanges = {}, through = endpoint) =>
  runAdoptJob({ endpoint: through, folder, tableName, options });

async function through(handle: CallHandler): Promise<string> {
  const proxy = await DynamoDbProxy.start(endpoint, { handle });
  stops.push(() => proxy.stop());
  return proxy.endpoint;
}

const indexesOf = async (TableName: string) =>
  (await client.send(new DescribeTableCommand({ TableName }))).Table?.GlobalSecondaryIndexes ?? [];

async function itemsOf(TableName: string): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

/** Parses a printed AWS CLI command into its flags and their values. */
function awsArguments(printed: string, command: string): Record<string, string> {
  const line = printed.split('\n').find(text => text.trim().startsWith(`aws dynamodb ${command} `)) ?? '';
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return Object.fromEntries(
    words.flatMap((word, n) => (word.startsWith('--') ? [[word.slice(2), words[n + 1] ?? '']] : [])),
  );
}

const FUTURE = number(NOW + YEAR);

describe('one String among 2,000 items', () => {
  const strings = [...many(2000, n => item(`id-${n}`, FUTURE)), item('the one', { S: String(NOW + DAY) })];

  test('is found by --full, with its key and the command that corrects it; adopted then', async () => {
    const name = await makeTable('OneString', strings);
    const error = await run(name, { full: true }).catch(String);
    expect(error).toContain('got a String in 1 of 2001 items, which are all');
    expect(error).toContain('Keys: {"id":{"S":"the one"},"part":{"B":"AA=="}}');
    expect(await indexesOf(name)).toEqual([]);

    const given = awsArguments(String(error), 'update-item');
    const Key = { id: { S: 'the one' }, part: PART };
    expect(JSON.parse(given['key'] ?? '')).toEqual({ id: { S: 'the one' }, part: { B: 'AA==' } });
    await client.send(
      new UpdateItemCommand({
        TableName: given['table-name'],
        Key,
        UpdateExpression: given['update-expression'],
        ConditionExpression: given['condition-expression'],
        ExpressionAttributeNames: JSON.parse(given['expression-attribute-names'] ?? ''),
        ExpressionAttributeValues: JSON.parse(given['expression-attribute-values'] ?? ''),
      }),
    );
    const { Item } = await client.send(new GetItemCommand({ TableName: name, Key }));
    expect(Item?.['ttl']).toEqual(number(NOW + DAY));
    const { end, printed } = await run(name, { full: true });
    expect(end).toBe('done');
    expect(printed).toContain('All 2,001 items: 2,001 in epoch seconds.');
  });
});

test('a page that DynamoDB throttles is read again, by the same look', async () => {
  const name = await makeTable(
    'ThrottledLook',
    many(3000, n => item(`id-${n}`, FUTURE)),
  );
  let scans = 0;
  const throttled = jsonAnswer(
    { __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException', message: 'slow' },
    400,
  );
  // The sample takes eight scans, and the SDK tries a call three times.
  const proxied = await through(async call => {
    if (call.operation !== 'Scan') return call.forward();
    scans += 1;
    return scans > 12 && scans < 30 ? throttled : call.forward();
  });
  const { printed, shown } = await run(name, { full: true, dryRun: true }, proxied);
  expect(printed).toContain('All 3,000 items: 3,000 in epoch seconds.');
  expect(shown.some(line => /throttled \d+ times, and read again/.test(line))).toBe(true);
  expect(shown.some(line => /^Read [\d,]+ of about 3,000 items, \d+ %/.test(line))).toBe(true);
});

describe('what is expired already', () => {
  const old = [
    ...many(40, n => item(`old-${n}`, number(NOW - DAY * (n + 1)))),
    item('ancient', number(NOW - 6 * YEAR)),
    item('later', FUTURE),
  ];

  test('is deleted after a yes, and only then', async () => {
    const name = await makeTable('AskedToDelete', old);
    const asked: string[] = [];
    const no = await run(name, { ask: async text => asked.push(text) < 0 });
    const since = new Date((NOW - 40 * DAY) * 1000).toISOString().slice(0, 10);
    expect(asked).toEqual([
      `40 items are expired already, the oldest since ${since}: delete them now, at 200 a second, about 1 s? ` +
        'One that is renewed meanwhile stays.',
    ]);
    expect(no.printed).toContain(
      `40 items are expired already, the oldest since ${since}, and left. Native TTL deletes them, usually within days`,
    );
    expect(no.printed).toMatch(/adopt --table AskedToDelete .*--delete-expired 200/);
    // DynamoDB Local's native TTL is on now, and may delete some of them too.
    const yes = await run(name, { ask: async () => true });
    expect(yes.printed).toMatch(/Of the expired items: \d+ deleted/);
    expect((await itemsOf(name)).map(({ id }) => id?.S).sort()).toEqual(['ancient', 'later']);
  });

  test('is left with --yes alone, and deleted with --delete-expired', async () => {
    const name = await makeTable('YesAlone', old);
    const { printed } = await run(name);
    expect(printed).toContain('Native TTL deletes them, usually within days');
    expect(await itemsOf(name)).toHaveLength(42);
    const resultFile = join(folder, 'deleted.json');
    await run(name, { deleteExpired: 1000, resultFile });
    expect(await itemsOf(name)).toHaveLength(2);
    const { deleted, left } = JSON.parse(readFileSync(resultFile, 'utf8')).result.deletion;
    // On a busy machine the native TTL of DynamoDB Local deletes some of the 40 before.
    expect(deleted).toBeGreaterThan(0);
    expect(left).toBe(0);
  });
});
