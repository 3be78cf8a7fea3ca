import { type Arrival, type ArrivalRules, judgeArrivals } from '../../../bench/ledger/arrivals.ts';
import { Ledger } from '../../../bench/ledger/ledger.ts';

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

const EVENT: Arrival = { id: 'event-1', key: KEY, expiredAt: iso(0), deletedAt: iso(1), oldImage: IMAGE };

const events = (...arrivals: readonly Partial<Arrival>[]): Arrival[] =>
  arrivals.map(arrival => ({ ...EVENT, ...arrival }));

const judged = (ledger: Ledger, arrived: readonly Arrival[], rules: ArrivalRules = { oldImage: true }) =>
  judgeArrivals(arrived, ledger, rules);

const NONE = { items: 0, again: 0, strays: 0, doubtful: 0, altered: 0 };

test.each<[string, Ledger, Arrival[], ArrivalRules | undefined, object, string[]]>([
  ['nothing arrived', seen(), [], undefined, NONE, ['notDelivered']],
  [
    'nothing of an item that was deleted too early',
    seen({ after: -1 }),
    [],
    undefined,
    NONE,
    ['notDelivered'],
  ],
  ['an expired item', seen(), events({}), undefined, { ...NONE, items: 1 }, []],
  ['one that arrived twice', seen(), events({}, {}), undefined, { ...NONE, items: 1, again: 1 }, []],
  [
    'an event without its image',
    seen(),
    events({ oldImage: undefined }),
    { oldImage: false },
    { ...NONE, items: 1 },
    [],
  ],
  [
    'an event without its image, where it has to have it',
    seen(),
    events({ oldImage: undefined }),
    undefined,
    { ...NONE, items: 1, altered: 1 },
    ['deliveredOtherwise'],
  ],
  [
    'an event with an image, where it must have none',
    seen(),
    events({}),
    { oldImage: false },
    { ...NONE, items: 1, altered: 1 },
    ['deliveredOtherwise'],
  ],
  [
    'another image',
    seen(),
    events({}, { oldImage: { ...IMAGE, n: { N: '1.6' } } }),
    undefined,
    { ...NONE, items: 1, again: 1, altered: 1 },
    ['deliveredOtherwise'],
  ],
  [
    'another key',
    seen(),
    events({ key: { id: { S: 'b' } } }),
    undefined,
    { ...NONE, items: 1, altered: 1 },
    ['deliveredOtherwise'],
  ],
  [
    'another time of expiry',
    seen(),
    events({ expiredAt: iso(1) }),
    undefined,
    { ...NONE, items: 1, altered: 1 },
    ['deliveredOtherwise'],
  ],
  [
    "another time than the record's",
    seen({ madeAt: 2 }),
    events({}),
    undefined,
    { ...NONE, items: 1, altered: 1 },
    ['deliveredOtherwise'],
  ],
  ['its own time', seen({ madeAt: 1.9 }), events({}), undefined, { ...NONE, items: 1 }, []],
  [
    'a live item that was deleted, told as an expiry',
    seen({ after: -3 }),
    events({ deletedAt: iso(-3) }),
    undefined,
    { ...NONE, items: 1, strays: 1 },
    ['deliveredWrongly'],
  ],
  [
    'a record that nobody saw',
    seen(),
    events({}, { id: 'event-2' }),
    undefined,
    { ...NONE, items: 1, strays: 1 },
    ['deliveredWrongly'],
  ],
  [
    "the application's deletion, told as an expiry",
    seen({ after: -1, ours: true }),
    events({ deletedAt: iso(-1) }),
    undefined,
    { ...NONE, strays: 1 },
    ['deliveredWrongly'],
  ],
  [
    "the application's deletion, whose record was read late",
    seen({ after: -1, ours: true }),
    events({ deletedAt: iso(0) }),
    undefined,
    { ...NONE, doubtful: 1 },
    [],
  ],
  [
    "the application's deletion before its expiry by the server that made the record",
    seen({ after: 0, ours: true, madeAt: -1 }),
    events({ deletedAt: iso(-1) }),
    undefined,
    { ...NONE, strays: 1 },
    ['deliveredWrongly'],
  ],
  [
    "the application's deletion after the expiry",
    seen({ after: 0, ours: true }),
    events({}),
    undefined,
    NONE,
    [],
  ],
])('%s', (_name, ledger, arrived, rules, counts, findings) => {
  const { violations, ...found } = judged(ledger, arrived, rules);
  expect(found.counts).toMatchObject({ ...NONE, ...counts });
  expect(violations.map(({ finding }) => finding)).toEqual(findings);
});

test('a violation has the history of its item', () => {
  const [violation] = judged(seen(), []).violations;
  expect(violation?.id).toBe('a');
  expect(violation?.history).toHaveLength(2);
});
