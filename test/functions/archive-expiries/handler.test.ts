import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expiryModel } from '../../../expiry/model.ts';
import type { ArchiveLine } from '../../../functions/archive/archive-line.ts';
import type { ArchiveObject } from '../../../functions/archive/archive-object.ts';
import { type ArchiveRuntime, archiveExpiries } from '../../../functions/archive-expiries/handler.ts';
import { PUTS_AT_ONCE, PUTTING_SECONDS } from '../../../functions/archive-expiries/limits.ts';
import type { DynamoDbStreamRecord, ItemImage } from '../../../functions/stream/event.ts';
import { streamRecord } from '../../support/stream-records.ts';

const AT = Date.parse('2026-11-20T09:00:31Z') / 1000;
const DAY = 86_400;

interface Run {
  readonly records: readonly DynamoDbStreamRecord[];
  readonly settings?: Partial<ArchiveRuntime['settings']>;
  /** Numbers of the puts that fail, from 0 on. */
  readonly failing?: readonly number[];
  /** Seconds that each put takes. */
  readonly seconds?: number;
}

async function run({ records, settings = {}, failing = [], seconds = 0 }: Run) {
  const stored: ArchiveObject[] = [];
  const logged: unknown[][] = [];
  let puts = 0;
  let now = AT * 1000;
  const log = (...line: unknown[]) => void logged.push(line);
  const answer = await archiveExpiries(
    { Records: records },
    {
      settings: {
        tableName: 'SessionData',
        model: expiryModel({ partitionKey: 'id' }),
        logKeys: 'full',
        archiveBucket: 'bucket',
        archivePrefix: 'a/',
        archiveFormat: 'dynamodb-json',
        archiveRemovals: 'expiries',
        ...settings,
      },
      put: async object => {
        const number = puts++;
        now += seconds * 1000;
        if (failing.includes(number)) throw Object.assign(new Error('please wait'), { name: 'SlowDown' });
        await setImmediate();
        stored.push(object);
      },
      logger: { info: log, error: log },
      clock: () => now,
    },
  );
  const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return { failed, stored, logged };
}

function removed(place: number, ttl: number | ItemImage[string] | undefined, more: object = {}) {
  const value = typeof ttl === 'number' ? { N: String(ttl) } : ttl;
  const item = { id: { S: `item-${place}` }, ...(value && { ttl: value }) } as ItemImage;
  return { ...streamRecord({ place, item, at: AT }), ...more };
}

function linesOf({ body }: ArchiveObject): ArchiveLine[] {
  return gunzipSync(body)
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

const sequence = (place: number) => `4000000000000000000000${place}`;

test('archives an expiry as it was', async () => {
  const { failed, stored, logged } = await run({ records: [removed(1, AT - 1)] });
  expect(failed).toEqual([]);
  expect(stored.map(({ key }) => key)).toEqual([
    expect.stringMatching(
      `^a/SessionData/expired_date=2026-11-20/${sequence(1)}-${sequence(1)}-[0-9a-f]{16}\\.jsonl\\.gz$`,
    ),
  ]);
  expect(stored.flatMap(linesOf)).toEqual([
    {
      table: 'SessionData',
      key: { id: { S: 'item-1' } },
      expiredAt: '2026-11-20T09:00:30.000Z',
      deletedAt: '2026-11-20T09:00:31.000Z',
      id: 'event-1',
      sequenceNumber: sequence(1),
      removal: 'expiry',
      item: { id: { S: 'item-1' }, ttl: { N: String(AT - 1) } },
    },
  ]);
  expect(logged).toEqual([['archived', { records: 1, items: 1, itemsLeft: 0, objects: 1 }]]);
});

const NATIVE = { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } };

test.each<[string, DynamoDbStreamRecord, string | undefined, string | undefined]>([
  ['an expiry of now', removed(1, AT), 'expired_date=2026-11-20', undefined],
  ['an expiry of a year ago', removed(1, AT - 365 * DAY), 'expired_date=2025-11-20', undefined],
  ['a removal two seconds before the expiry', removed(1, AT + 2), 'expired_date=2026-11-20', undefined],
  ['a removal before that', removed(1, AT + 3), undefined, 'removed_date=2026-11-20'],
  [
    'an expiry of just under five years',
    removed(1, AT - 5 * 365 * DAY + 1),
    'expired_date=2021-11-21',
    undefined,
  ],
  ['a removal of five years', removed(1, AT - 5 * 365 * DAY), undefined, 'removed_date=2026-11-20'],
  ['a removal without a TTL', removed(1, undefined), undefined, 'removed_date=2026-11-20'],
  ['a removal with a TTL in milliseconds', removed(1, AT * 1000), undefined, 'removed_date=2026-11-20'],
  ['a removal with a negative TTL', removed(1, -1), undefined, 'removed_date=2026-11-20'],
  ["native TTL's", removed(1, AT - 600, NATIVE), 'expired_date=2026-11-20', undefined],
  [
    "native TTL's by another attribute",
    removed(1, { S: 'none' }, NATIVE),
    'expired_date=2026-11-20',
    undefined,
  ],
  ['a change', { ...removed(1, AT - 1), eventName: 'MODIFY' }, undefined, undefined],
  ['a new item', { ...removed(1, AT - 1), eventName: 'INSERT' }, undefined, undefined],
])('%s', async (_what, record, expiredIn, removedIn) => {
  const folders = async (archiveRemovals: 'expiries' | 'all') => {
    const { stored, failed } = await run({ records: [record], settings: { archiveRemovals } });
    expect(failed).toEqual([]);
    const kinds = stored.flatMap(linesOf).map(({ removal }) => removal);
    return stored.map(({ key }, index) => [key.split('/')[2], kinds[index]]);
  };
  const expiry = expiredIn === undefined ? [] : [[expiredIn, 'expiry']];
  expect(await folders('expiries')).toEqual(expiry);
  expect(await folders('all')).toEqual(removedIn === undefined ? expiry : [[removedIn, 'other']]);
});

/** Records 1 to 5 expire on two days in turn. */
const TWO_DAYS = [1, 2, 3, 4, 5].map(place => removed(place, AT - (place % 2) * DAY));

test('one object for each date, named after its first and last record', async () => {
  const { stored, failed } = await run({ records: TWO_DAYS });
  expect(failed).toEqual([]);
  expect(stored.map(({ key }) => key.split('/').slice(2).join('/').slice(0, -26))).toEqual([
    `expired_date=2026-11-19/${sequence(1)}-${sequence(5)}`,
    `expired_date=2026-11-20/${sequence(2)}-${sequence(4)}`,
  ]);
  expect(stored.map(object => linesOf(object).map(({ id }) => id))).toEqual([
    ['event-1', 'event-3', 'event-5'],
    ['event-2', 'event-4'],
  ]);
});

test('the same batch is the same objects', async () => {
  expect((await run({ records: TWO_DAYS })).stored).toEqual((await run({ records: TWO_DAYS })).stored);
});

test('batches of two shards with the same sequence numbers are different objects', async () => {
  const other = TWO_DAYS.map(record => ({ ...record, eventID: `other-${record.eventID}` }));
  const keys = [...(await run({ records: TWO_DAYS })).stored, ...(await run({ records: other })).stored].map(
    ({ key }) => key,
  );
  expect(new Set(keys).size).toBe(4);
});

test.each<[string, readonly number[], string[]]>([
  ['the first object', [0], [sequence(1)]],
  ['the second object', [1], [sequence(2)]],
  ['both', [0, 1], [sequence(1)]],
])('a failing put of %s gives the first record that is not archived', async (_which, failing, expected) => {
  const { failed, logged } = await run({ records: TWO_DAYS, failing });
  expect(failed).toEqual(expected);
  const errors = logged.filter(([message]) => message === 'cannot archive');
  expect(errors).toHaveLength(failing.length);
  expect(errors[0]?.[1]).toMatchObject({ error: 'SlowDown: please wait' });
});

/** One more than begin at once, each of a day of its own. */
const MANY_DAYS = Array.from({ length: PUTS_AT_ONCE + 1 }, (_unused, place) =>
  removed(place, AT - place * DAY),
);

test('begins no other object after one that failed', async () => {
  const { failed, stored } = await run({ records: MANY_DAYS, failing: [3] });
  expect(failed).toEqual([MANY_DAYS[3]?.dynamodb.SequenceNumber]);
  expect(stored).toHaveLength(PUTS_AT_ONCE - 1);
});

test('begins no other object when its time is up', async () => {
  const seconds = PUTTING_SECONDS / PUTS_AT_ONCE;
  const { failed, stored } = await run({ records: MANY_DAYS, seconds });
  expect(failed).toEqual([MANY_DAYS[PUTS_AT_ONCE]?.dynamodb.SequenceNumber]);
  expect(stored).toHaveLength(PUTS_AT_ONCE);
});

test.each<[string, object]>([
  ['a removal without its old image', { OldImage: undefined }],
  ['a removal without its time', { ApproximateCreationDateTime: undefined }],
])('%s is neither skipped nor archived, and what stands before it is archived', async (_what, more) => {
  const bad = removed(2, AT);
  const records = [
    removed(1, AT),
    { ...bad, dynamodb: { ...bad.dynamodb, ...more } } as DynamoDbStreamRecord,
    removed(3, AT),
  ];
  const { failed, stored, logged } = await run({ records });
  expect(failed).toEqual([sequence(2)]);
  expect(stored.flatMap(linesOf).map(({ id }) => id)).toEqual(['event-1']);
  expect(logged[0]).toEqual([
    'cannot judge',
    {
      key: { id: { S: 'item-2' } },
      sequenceNumber: sequence(2),
      error: expect.stringMatching(/^InvalidArgumentError: record\.dynamodb\./),
    },
  ]);
  // A put that fails stands before it.
  expect((await run({ records, failing: [0] })).failed).toEqual([sequence(1)]);
});

test("native TTL's deletion without its old image is not skipped either", async () => {
  const record = removed(1, AT, NATIVE);
  const withoutImage = { ...record, dynamodb: { ...record.dynamodb, OldImage: undefined } };
  const { failed, logged } = await run({ records: [withoutImage as never] });
  expect(failed).toEqual([sequence(1)]);
  expect(logged[0]?.[1]).toMatchObject({ error: expect.stringContaining('NEW_AND_OLD_IMAGES') });
});

test.each(['hash', 'none'] as const)('shows no key with logKeys %p', async logKeys => {
  const record = removed(1, AT);
  const withoutImage = { ...record, dynamodb: { ...record.dynamodb, OldImage: undefined } };
  const { logged } = await run({ records: [withoutImage as never, removed(2, AT)], settings: { logKeys } });
  expect(JSON.stringify(logged)).not.toContain('item-');
  expect(JSON.stringify(logged).includes('hmac-sha256:')).toBe(logKeys === 'hash');
});

test('writes plain items where they are wanted', async () => {
  const digits = '12345678901234567890123456789012345678';
  const item = { id: { S: 'a' }, n: { N: digits }, ttl: { N: String(AT) } };
  const { stored } = await run({
    records: [streamRecord({ place: 1, item, at: AT })],
    settings: { archiveFormat: 'json' },
  });
  const text = gunzipSync(stored[0]?.body ?? '').toString();
  expect(text).toContain(`"item":{"id":"a","n":${digits},"ttl":${AT}}`);
  expect(text).toContain('"key":{"id":"a"}');
});

test('a batch without expiries puts nothing', async () => {
  expect(await run({ records: [removed(1, AT + 9)] })).toMatchObject({ failed: [], stored: [] });
  expect(await run({ records: [] })).toMatchObject({ failed: [], stored: [] });
});

test.each([undefined, {}, { Records: 'none' }])('refuses %p, which is no event', async event => {
  await expect(archiveExpiries(event as never, {} as never)).rejects.toThrow(/^Records: expected a list/);
});
