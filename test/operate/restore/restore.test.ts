/** @jest-environment ./test/support/dynamodb-environment.ts */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type LocalS3, startS3 } from '../../../aws-on-loopback/src/s3/start-s3.ts';
import type { Session } from '../../../cli/operation.ts';
import { readExpirySpan, readKeys } from '../../../cli/restore/keys.ts';
import { planRestore } from '../../../cli/restore.ts';
import { modelOf } from '../../../config/model-of.ts';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { shardOf } from '../../../expiry/shard.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { sendJson } from '../../../functions/table/dynamodb-json.ts';
import { openArchive } from '../../../operate/archive/archive-source.ts';
import { readLocation } from '../../../operate/archive/location.ts';
import type { Clients } from '../../../operate/aws/clients.ts';
import type { RestoreOptions } from '../../../operate/changes.ts';
import { ARCHIVE_BUCKET, archiveItems, archiveSettings } from '../../support/archived.ts';
import { configOf } from '../../support/configs.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { carriedOut, sessionOf } from '../../support/session.ts';

const TABLE: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', index: { shards: 3 } };
const model = modelOf(TABLE);
const settings = archiveSettings({ tableName: 'Sessions', model, archivePrefix: 'expired/' });
const NOW = Date.parse('2026-11-22T10:00:00.900Z');

const { client } = useLocalDynamoDb();
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-restore-test-'));
const RESULT = join(folder, 'result.json');
let s3: LocalS3;
/** Operations of S3 that were called. */
let asked: string[] = [];

beforeAll(async () => {
  s3 = await startS3({
    buckets: [ARCHIVE_BUCKET, 'other'],
    folder: join(folder, 's3'),
    choose({ operation }) {
      asked.push(operation);
      return undefined;
    },
  });
  await client.send(
    new CreateTableCommand({
      TableName: 'Sessions',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  const at = (date: string) => `${date}T09:00:00Z`;
  const one = (id: string, more: object = {}) => ({ id: { S: id }, ...more });
  await archiveItems(
    s3.endpoint,
    [
      { item: ITEM, expiredAt: at('2026-11-20') },
      { item: one('often', { v: { N: '1' } }), expiredAt: at('2026-11-18') },
      { item: one('often', { v: { N: '2' } }), expiredAt: at('2026-11-20') },
      { item: one('often', { v: { N: '3' } }), expiredAt: '2026-11-20T08:00:00Z', laterSeconds: 7200 },
      { item: one('old'), expiredAt: at('2026-11-19') },
    ],
    settings,
  );
  // The line was delivered twice, in different batches.
  await archiveItems(s3.endpoint, [{ item: ITEM, expiredAt: at('2026-11-20') }], settings);
});
afterAll(async () => {
  await s3.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  asked = [];
  for (const id of ['item', 'often', 'old', 'none']) {
    await client.send(new DeleteItemCommand({ TableName: 'Sessions', Key: { id: { S: id } } }));
  }
});

/** The item as Lambda delivers it, with bytes in base64. */
const ITEM = {
  id: { S: 'item' },
  digits: { N: '12345678901234567890123456789012345678' },
  bytes: { B: 'AP8=' },
  expirationWindow: { S: 'the old one' },
  deep: { M: { list: { L: [{ BS: ['AQ=='] }, { NS: ['0.1'] }, { NULL: true }, { BOOL: false }] } } },
};
const NATIVE_ITEM: Record<string, AttributeValue> = {
  ...ITEM,
  bytes: { B: Uint8Array.from([0, 255]) },
  deep: {
    M: { list: { L: [{ BS: [Uint8Array.from([1])] }, { NS: ['0.1'] }, { NULL: true }, { BOOL: false }] } },
  },
};

interface Run extends Partial<Omit<RestoreOptions, 'span'>> {
  readonly ids?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly place?: string;
}

/** The place of the change, and the answers to questions. */
type Asking = Partial<Pick<Clients, 'isLocal'> & Pick<Session, 'ask'>>;

async function restore(run: Run, { isLocal = () => true, ask }: Asking = {}) {
  const { ids = ['item'], from, to, place = `s3://${ARCHIVE_BUCKET}/expired`, ...more } = run;
  const session = sessionOf({ dynamoDb: client, isLocal }, { ask, dryRun: run.dryRun ?? false });
  const environment = { AWS_ENDPOINT_URL_S3: s3.endpoint };
  const { source, destroy } = openArchive('us-east-1', readLocation(place), environment, session.signal);
  const wanted = {
    ...{ config: configOf(TABLE), source, now: () => NOW, expiresInMs: 7 * 86_400_000 },
    keys: ids.map(S => ({ id: { S } })),
    span: readExpirySpan(from, to),
    ...more,
  };
  try {
    const told = await carriedOut(await planRestore(wanted, session), session, RESULT);
    const { keys = [] } = told === undefined ? {} : JSON.parse(readFileSync(RESULT, 'utf8'));
    const fates = (keys as { key: string; fate: string }[]).map(({ key, fate }) => [key, fate]);
    return { end: told?.end ?? 'declined', fates, text: session.printed.join('\n') };
  } finally {
    destroy();
  }
}

const stored = async (id: string) =>
  (await client.send(new GetItemCommand({ TableName: 'Sessions', Key: { id: { S: id } } }))).Item;

const DAY = 86_400;
const EXPIRES_AT = Math.floor(NOW / 1000) + 7 * 86_400;

test.each([
  ['S3', () => `s3://${ARCHIVE_BUCKET}/expired/`],
  ['a folder', () => join(folder, 's3', ARCHIVE_BUCKET, 'expired')],
])('writes an item of %s back with a new expiry and its window', async (_where, place) => {
  const { end, fates, text } = await restore({ place: place() });
  expect([end, fates]).toEqual(['done', [['{"id":{"S":"item"}}', 'restored']]]);
  expect(text).toContain('new expiry  2026-11-29T10:00:00.000Z');
  expect(text).toContain('1 restored');
  const shard = shardOf({ id: 'item' }, model, 3);
  expect(await stored('item')).toEqual({
    ...NATIVE_ITEM,
    ttl: { N: String(EXPIRES_AT) },
    expirationWindow: { S: windowKey(windowStart(EXPIRES_AT, DAY), DAY, shard) },
  });
});

test('writes it back without an expiry', async () => {
  expect((await restore({ expiresInMs: undefined })).text).toContain('new expiry  none');
  const { expirationWindow, ...without } = NATIVE_ITEM;
  expect(expirationWindow).toBeDefined();
  expect(await stored('item')).toEqual(without);
});

test('never touches an item that is there', async () => {
  const newer = { id: { S: 'item' }, newer: { BOOL: true } };
  await client.send(new PutItemCommand({ TableName: 'Sessions', Item: newer }));
  const { end, fates, text } = await restore({ ids: ['item', 'old'] });
  expect([end, fates.map(([, fate]) => fate)]).toEqual(['done', ['thereAlready', 'restored']]);
  expect(text).toContain('1 there already: not touched\n  {"id":{"S":"item"}}');
  expect(await stored('item')).toEqual(newer);
  expect((await restore({ ids: ['item', 'old'] })).fates.map(([, fate]) => fate)).toEqual([
    'thereAlready',
    'thereAlready',
  ]);
});

test.each<[string, Run, string | undefined]>([
  ['the one that expired last', {}, '2'],
  ['the one that expired last before a time', { to: '2026-11-20T09:00:00Z' }, '3'],
  ['the one before a date', { to: '2026-11-20' }, '1'],
  ['the one from a time on', { from: '2026-11-20T09:00:00Z' }, '2'],
  ['none after all of them', { from: '2026-11-20T09:00:01Z' }, undefined],
])('of several images takes %s', async (_which, span, version) => {
  const { end } = await restore({ ids: ['often'], ...span });
  expect([end, (await stored('often'))?.['v']?.N]).toEqual([version ? 'done' : 'failed', version]);
});

test('reads no further back than until all keys are found', async () => {
  const reads = async (run: Run) => {
    asked = [];
    await restore(run);
    return asked.filter(operation => operation === 'GetObject').length;
  };
  // There are two objects of the 20th, one of the 19th and one of the 18th.
  expect(await reads({ ids: ['item'] })).toBe(2);
  expect(await reads({ ids: ['old'] })).toBe(3);
  expect(await reads({ ids: ['none'] })).toBe(4);
  expect(await reads({ ids: ['none'], to: '2026-11-19' })).toBe(1);
  expect(await reads({ ids: ['none'], from: '2026-11-19', to: '2026-11-20' })).toBe(1);
});

test('tells what is not in the archive', async () => {
  const { end, fates, text } = await restore({ ids: ['item', 'none'] });
  expect([end, fates.map(([, fate]) => fate)]).toEqual(['failed', ['restored', 'notInArchive']]);
  expect(text).toContain('1 not in the archive\n  {"id":{"S":"none"}}');
});

test('a dry run writes nothing', async () => {
  const { end, fates, text } = await restore({ dryRun: true });
  expect([end, fates.map(([, fate]) => fate)]).toEqual(['done', ['found']]);
  expect(text).toContain('dry run: nothing is written');
  expect(await stored('item')).toBeUndefined();
});

test('asks before it writes into an account', async () => {
  const answers: boolean[] = [false, true];
  const asking = { isLocal: () => false, ask: async () => answers.shift() ?? false };
  expect((await restore({}, asking)).end).toBe('declined');
  expect(await stored('item')).toBeUndefined();
  expect((await restore({}, asking)).end).toBe('done');
  expect(await stored('item')).toBeDefined();
});

test('shows no keys where they are to be masked', async () => {
  const { text } = await restore({ ids: ['item', 'none'], mask: true });
  expect(text).toMatch(/ {2}hmac-sha256:[0-9a-f]{16}/);
  expect(text + readFileSync(RESULT, 'utf8')).not.toContain('"none"');
});

test('takes keys from a file, a list or one on each line', async () => {
  const file = join(folder, 'keys.jsonl');
  for (const text of [
    '{"id":{"S":"item"}}\n\n{"id":{"S":"old"}}\n',
    '[{"id":{"S":"item"}},{"id":{"S":"old"}}]',
  ]) {
    writeFileSync(file, text);
    const keys = readKeys({ keys: undefined, 'keys-file': file }, model);
    const { fates } = await restore({ keys, dryRun: true });
    expect(fates.map(([, fate]) => fate)).toEqual(['found', 'found']);
  }
});

test.each<[string, Run, string]>([
  ['the folder of the table', { place: `s3://${ARCHIVE_BUCKET}/expired/Sessions` }, 'is not part of it'],
  ['a bucket that there is not', { place: 's3://missing' }, 'S3: NoSuchBucket'],
  ['a folder with something else', { place: tmpdir() }, 'expected the archive of Sessions'],
])('refuses %s', async (_what, run, message) => {
  await expect(restore(run)).rejects.toThrow(message);
});

test('passes over the lines of a plain archive, whose types nobody can tell', async () => {
  const plain = { ...settings, archivePrefix: 'plain/', archiveFormat: 'json' } as const;
  await archiveItems(s3.endpoint, [{ item: ITEM, expiredAt: '2026-11-20T09:00:00Z' }], plain);
  const { end, fates, text } = await restore({ place: `s3://${ARCHIVE_BUCKET}/plain` });
  expect([end, fates.map(([, fate]) => fate)]).toEqual(['failed', ['notInArchive']]);
  expect(text).toMatch(
    /expired_date=2026-11-20\/.*, line 1: expected items in DynamoDB JSON, got plain ones/,
  );
});

/** Puts an object unchanged. */
async function upload(Bucket: string, Key: string, Body: Buffer): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const uploader = new S3Client({
    endpoint: s3.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
  });
  await uploader.send(new PutObjectCommand({ Bucket, Key, Body }));
  uploader.destroy();
}

/** Objects that archiveFirst writes: a copy of each of these items, and marks of copies whose item was not deleted. */
const COPIES = 'Sessions/before_deletion/expired_date=2026-11-20/one.jsonl.gz';
const copyLine = (id: string, v = '1') => ({
  ...{ table: 'Sessions', key: { id: { S: id } }, expiredAt: '2026-11-20T09:00:00.000Z' },
  item: { id: { S: id }, v: { N: v }, ttl: { N: '1795165200' } },
});
const markLine = (id: string, copy: string | null, expiredAt = '2026-11-20T09:00:00.000Z') => ({
  ...{ table: 'Sessions', key: { id: { S: id } }, expiredAt, kept: 'renewed', copy },
});
const packed = (lines: readonly object[]) =>
  gzipSync(lines.map(line => `${JSON.stringify(line)}\n`).join(''));

test('takes a copy of archiveFirst where no deletion is archived, but none whose item was kept', async () => {
  const root = 'copies/';
  const ids = ['item', 'often', 'old', 'none', 'other'];
  await upload(ARCHIVE_BUCKET, `${root}${COPIES}`, packed(ids.map(id => copyLine(id))));
  const marks = [
    markLine('often', null),
    markLine('old', `${root}${COPIES}`),
    // One mark is for another copy, and one for another expiry.
    markLine('none', `${root}${COPIES.replace('one', 'two')}`),
    markLine('other', null, '2026-11-20T08:00:00.000Z'),
  ];
  await upload(ARCHIVE_BUCKET, `${root}${COPIES.replace('before_deletion', 'kept')}`, packed(marks));
  const place = `s3://${ARCHIVE_BUCKET}/copies`;
  const fates = async () =>
    Object.fromEntries(
      (await restore({ ids, place, dryRun: true })).fates.map(([key = '', fate]) => [
        JSON.parse(key).id.S,
        fate,
      ]),
    );
  const [found, notInArchive] = ['found', 'notInArchive'];
  expect(await fates()).toEqual({
    item: found,
    often: notInArchive,
    old: notInArchive,
    none: found,
    other: found,
  });
  // The deletion of one of the items, as the stream delivers it.
  const archived = [{ item: { id: { S: 'old' }, v: { N: '2' } }, expiredAt: '2026-11-20T09:00:00Z' }];
  await archiveItems(s3.endpoint, archived, { ...settings, archivePrefix: root });
  expect(await fates()).toMatchObject({ often: notInArchive, old: found });
  await restore({ ids: ['old'], place });
  expect((await stored('old'))?.['v']).toEqual({ N: '2' });
});

test.each<[string, Buffer, string]>([
  ['no gzip', Buffer.from('{}'), 'expected gzip'],
  ['half of an object', gzipSync('{"key":{}}\n').subarray(0, 20), 'expected gzip'],
  ['no JSON', gzipSync('text\n'), 'expected a JSON object on each line'],
  ['other lines', gzipSync('{"a":1}\n'), 'expected lines with a key'],
  ['lines without an item', gzipSync('{"key":{"id":{"S":"item"}}}\n'), 'with an item and its time'],
  [
    'items of another table',
    gzipSync('{"key":{"other":{"S":"a"}},"item":{},"deletedAt":"2026-11-20T09:00:00Z"}\n'),
    'expected keys of id, got one of other',
  ],
  [
    'a value that is none',
    gzipSync(
      '{"key":{"id":{"S":"item"}},"item":{"x":{"S":"a","N":"1"}},"deletedAt":"2026-11-20T09:00:00Z"}\n',
    ),
    'expected values in DynamoDB JSON, got one with S,N',
  ],
])('passes over %s, names it, goes on with its neighbours, and fails', async (_what, body, message) => {
  const place = 's3://other/expired';
  const damaged = 'expired/Sessions/expired_date=2026-11-20/0-0-damaged.jsonl.gz';
  await upload('other', damaged, body);
  const good = [{ item: { id: { S: 'old' } }, expiredAt: '2026-11-20T09:00:00Z' }];
  await archiveItems(s3.endpoint, good, { ...settings, archiveBucket: 'other' });
  const { end, fates, text } = await restore({ ids: ['item', 'old'], place });
  expect([end, fates.map(([, fate]) => fate)]).toEqual(['failed', ['notInArchive', 'restored']]);
  expect(text).toContain(`s3://other/${damaged}${message.startsWith('expected gzip') ? '' : ', line 1'}: `);
  expect(text).toContain(message);
  expect(JSON.parse(readFileSync(RESULT, 'utf8')).unreadable).toEqual({
    lines: 1,
    first: [expect.stringContaining(message)],
  });
});

test('names the line that cannot be read, among lines that can', async () => {
  const line = (id: string) => JSON.stringify(copyLine(id));
  const lines = [line('item'), '{"item":{"__proto__":undefined}}', '', line('old'), '{', line('often')];
  const path = 'Sessions/expired_date=2026-11-20/1-1-lines.jsonl.gz';
  await upload(ARCHIVE_BUCKET, `lines/${path}`, gzipSync(`${lines.join('\n')}\n`));
  const ids = ['item', 'old', 'often'];
  const { end, fates, text } = await restore({ ids, place: `s3://${ARCHIVE_BUCKET}/lines` });
  expect([end, fates.map(([, fate]) => fate)]).toEqual(['failed', ['restored', 'restored', 'restored']]);
  expect(text).toContain('2 lines of the archive cannot be read and were passed over');
  expect([...text.matchAll(/lines\.jsonl\.gz, line (\d)/g)].map(([, number]) => number)).toEqual(['2', '5']);
});

test('writes an item back whose attributes have names that objects of JavaScript have anyway', async () => {
  const names = {
    ['__proto__']: { S: 'p' },
    constructor: { M: { ['__proto__']: { N: '1' } } },
    toString: { S: 't' },
  };
  const archived = [{ item: { id: { S: 'item' }, ...names }, expiredAt: '2026-11-20T09:00:00Z' }];
  await archiveItems(s3.endpoint, archived, { ...settings, archivePrefix: 'names/' });
  expect((await restore({ place: `s3://${ARCHIVE_BUCKET}/names`, expiresInMs: undefined })).end).toBe('done');
  const command = new GetItemCommand({ TableName: 'Sessions', Key: { id: { S: 'item' } } });
  const { Item } = await sendJson<{ Item: object }>(client, command);
  expect(isDeepStrictEqual(Item, { id: { S: 'item' }, ...names })).toBe(true);
});
