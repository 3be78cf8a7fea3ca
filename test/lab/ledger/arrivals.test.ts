import type { ArchiveFormat } from '../../../functions/archive/settings.ts';
import {
  type Arrival,
  type ArrivalRules,
  type Arrived,
  judgeArrivals,
} from '../../../lab/ledger/arrivals.ts';
import { Ledger } from '../../../lab/ledger/ledger.ts';

const TTL = 1_800_000_000;
const at = (seconds: number) => (TTL + seconds) * 1000;
const iso = (seconds: number) => new Date(at(seconds)).toISOString();
const KEY = { id: { S: 'a' } };
const IMAGE = { ...KEY, ttl: { N: String(TTL) }, n: { N: '1.50' } };

/** An item with one write, and one deletion that was seen `after` its TTL, seconds. */
function seen({ after = 1, ours = false, madeAt = undefined as number | undefined } = {}): Ledger {
  let now = at(-60);
  const ledger = new Ledger(() => now);
  ledger.wrote('a', 1, TTL);
  now = at(after);
  if (ours) ledger.deleted('a', 1, 'deleted');
  const record = {
    id: 'event-1',
    key: KEY,
    image: IMAGE,
    ...(madeAt !== undefined && { madeAt: at(madeAt) }),
  };
  ledger.removed('a', 1, { ttl: TTL, seenAt: now, record });
  ledger.removed('a', 1, { ttl: TTL, seenAt: now + 500, record });
  return ledger;
}

const EVENT: Arrival = { id: 'event-1', key: KEY, expiredAt: iso(0), deletedAt: iso(1), item: IMAGE };
const FOLDER = `expired/expired_date=${iso(0).slice(0, 10)}`;

/** Each lies in an object of its own. */
function lines(...arrivals: readonly Partial<Arrival>[]): Arrived[] {
  return arrivals.map((arrival, index) => ({
    arrival: { ...EVENT, ...arrival },
    object: { key: `${FOLDER}/${index}.gz` },
    atMs: at(3 + index),
  }));
}

const events = (...arrivals: readonly Partial<Arrival>[]): Arrived[] =>
  lines(...arrivals).map(({ arrival, atMs }) => ({ arrival, atMs }));

function judged(ledger: Ledger, arrived: readonly Arrived[], rules: Partial<ArrivalRules> = {}) {
  const format: ArchiveFormat = 'dynamodb-json';
  const sink = arrived.some(({ object }) => object !== undefined) ? 'archive' : 'events';
  return judgeArrivals(arrived, ledger, { sink, format, ...rules });
}

const NONE = { items: 0, again: 0, strays: 0, doubtful: 0, altered: 0 };

test.each<[string, Ledger, Arrived[], Partial<ArrivalRules>, object, string[]]>([
  ['nothing arrived', seen(), [], {}, NONE, ['notPublished']],
  ['nothing of an item that was deleted too early', seen({ after: -1 }), [], {}, NONE, ['notPublished']],
  ['an expired item', seen(), events({}), {}, { ...NONE, items: 1 }, []],
  ['one that arrived twice', seen(), events({}, {}), {}, { ...NONE, items: 1, again: 1 }, []],
  ['an event without its image', seen(), events({ item: undefined }), {}, { ...NONE, items: 1 }, []],
  [
    'an event without its image, where it has to have it',
    seen(),
    events({ item: undefined }),
    { images: true },
    { ...NONE, items: 1, altered: 1 },
    ['publishedOtherwise'],
  ],
  [
    'an event with an image, where it must have none',
    seen(),
    events({}),
    { images: false },
    { ...NONE, items: 1, altered: 1 },
    ['publishedOtherwise'],
  ],
  [
    'another image',
    seen(),
    lines({}, { item: { ...IMAGE, n: { N: '1.6' } } }),
    {},
    { ...NONE, items: 1, again: 1, altered: 1 },
    ['archivedOtherwise'],
  ],
  [
    'another key',
    seen(),
    lines({ key: { id: { S: 'b' } } }),
    {},
    { ...NONE, items: 1, altered: 1 },
    ['archivedOtherwise'],
  ],
  [
    'another time of expiry',
    seen(),
    events({ expiredAt: iso(1) }),
    {},
    { ...NONE, items: 1, altered: 1 },
    ['publishedOtherwise'],
  ],
  [
    "another time than the record's",
    seen({ madeAt: 2 }),
    events({}),
    {},
    { ...NONE, items: 1, altered: 1 },
    ['publishedOtherwise'],
  ],
  ['its own time', seen({ madeAt: 1.9 }), events({}), {}, { ...NONE, items: 1 }, []],
  [
    'a live item that was deleted, told as an expiry',
    seen({ after: -3 }),
    events({ deletedAt: iso(-3) }),
    {},
    { ...NONE, items: 1, strays: 1 },
    ['publishedWrongly'],
  ],
  [
    'a record that nobody saw',
    seen(),
    events({}, { id: 'event-2' }),
    {},
    { ...NONE, items: 1, strays: 1 },
    ['publishedWrongly'],
  ],
  [
    "the application's deletion, told as an expiry",
    seen({ after: -1, ours: true }),
    events({ deletedAt: iso(-1) }),
    {},
    { ...NONE, strays: 1 },
    ['publishedWrongly'],
  ],
  [
    "the application's deletion, whose record was read late",
    seen({ after: -1, ours: true }),
    events({ deletedAt: iso(0) }),
    {},
    { ...NONE, doubtful: 1 },
    [],
  ],
  [
    "the application's deletion before its expiry by the server that made the record",
    seen({ after: 0, ours: true, madeAt: -1 }),
    events({ deletedAt: iso(-1) }),
    {},
    { ...NONE, strays: 1 },
    ['publishedWrongly'],
  ],
  ["the application's deletion after the expiry", seen({ after: 0, ours: true }), events({}), {}, NONE, []],
  [
    "the application's deletion two seconds before the expiry, in an archive",
    seen({ after: -2, ours: true }),
    lines({ deletedAt: iso(-2) }),
    {},
    NONE,
    [],
  ],
  [
    "the application's deletion three seconds before the expiry, in an archive",
    seen({ after: -3, ours: true }),
    lines({ deletedAt: iso(-3) }),
    {},
    { ...NONE, strays: 1 },
    ['archivedWrongly'],
  ],
  [
    "the application's deletion that is missing in an archive of all",
    seen({ after: -9, ours: true }),
    [],
    { sink: 'archive', all: true },
    NONE,
    ['notArchived'],
  ],
  [
    'an expiry that is called another removal',
    seen(),
    lines({ removal: 'other' }),
    { all: true },
    { ...NONE, items: 1, altered: 1 },
    ['archivedOtherwise'],
  ],
  [
    'a line in the partition of another date',
    seen(),
    lines({}).map(each => ({ ...each, object: { key: 'expired/expired_date=2027-01-01/0.gz' } })),
    {},
    { ...NONE, items: 1, altered: 1 },
    ['archivedOtherwise'],
  ],
])('%s', (_name, ledger, arrived, rules, counts, findings) => {
  const { violations, ...found } = judged(ledger, arrived, rules);
  expect(found.counts).toMatchObject({ ...NONE, ...counts });
  expect(violations.map(({ finding }) => finding)).toEqual(findings);
});

test('an item that stands twice in one object is found', () => {
  const [line] = lines({}) as [Arrived];
  expect(judged(seen(), [line, line]).violations.map(({ finding }) => finding)).toEqual([
    'archivedOtherwise',
  ]);
});

test('a violation has the history of its item', () => {
  const [violation] = judged(seen(), []).violations;
  expect(violation?.id).toBe('a');
  expect(violation?.history).toHaveLength(2);
});

test('the lag is that of the first arrival, from the time at which the item was to be deleted', () => {
  expect(judged(seen(), events({}, {})).counts.lagMs).toEqual({ p50: 3_000, p99: 3_000, max: 3_000 });
  expect(judged(seen(), []).counts.lagMs).toEqual({ p50: null, p99: null, max: null });
});

test('plain lines are compared too', () => {
  const item = { id: 'a', n: 1.5, ttl: TTL };
  const plain = (n: number) =>
    judged(seen(), lines({ key: { id: 'a' }, item: { ...item, n } }), { format: 'json' }).counts;
  expect(plain(1.5)).toMatchObject({ ...NONE, items: 1 });
  expect(plain(2)).toMatchObject({ ...NONE, items: 1, altered: 1 });
});
