import { type Arrival, arrivedOf, type SeenRemoval, SeenRemovals } from '../../../lab/archive/arrivals.ts';
import { Ledger } from '../../../lab/ledger/ledger.ts';

const TTL = 1_800_000_000;
const at = (seconds: number) => (TTL + seconds) * 1000;
const iso = (seconds: number) => new Date(at(seconds)).toISOString();
const KEY = { id: { S: 'a' } };
const IMAGE = { ...KEY, ttl: { N: String(TTL) }, n: { N: '1.50' } };

/** An item with one write, and one deletion that was seen `after` its TTL, seconds. */
function seen({ after = 1, ours = false, version = 1 } = {}) {
  let now = at(-60);
  const ledger = new Ledger(() => now);
  ledger.wrote('a', 1, TTL);
  now = at(after);
  if (ours) ledger.deleted('a', 1, 'deleted');
  ledger.removed('a', version, { ttl: TTL, seenAt: now });
  const removal: SeenRemoval = { id: 'a', version, ttl: TTL, seenAt: now, key: KEY, image: IMAGE };
  return { ledger, removal };
}

const LINE: Arrival = { key: KEY, expiredAt: iso(0), deletedAt: iso(1), item: sorted(IMAGE) };

/** As it stands in a line. */
function sorted(image: object): object {
  return Object.fromEntries(Object.entries(image).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function judged(
  { ledger, removal }: ReturnType<typeof seen>,
  arrivals: readonly Arrival[],
  format: 'dynamodb-json' | 'json' = 'dynamodb-json',
  toleranceSeconds = 0,
) {
  const removals = new SeenRemovals(format);
  removals.add(removal);
  removals.add({ ...removal, seenAt: removal.seenAt + 500 });
  const timed = arrivals.map((arrival, index) => ({ arrival, atMs: at(3 + index) }));
  return arrivedOf(timed, removals, { ledger, format, graceSeconds: 0, toleranceSeconds });
}

const NONE = { items: 0, again: 0, strays: 0, doubtful: 0, altered: 0 };

test.each<[string, ReturnType<typeof seen>, Arrival[], object]>([
  ['nothing arrived', seen(), [], NONE],
  ['an expired item', seen(), [LINE], { ...NONE, items: 1 }],
  ['one that arrived twice', seen(), [LINE, LINE], { ...NONE, items: 1, again: 1 }],
  ['an event without its image', seen(), [{ ...LINE, item: undefined }], { ...NONE, items: 1 }],
  [
    'another image',
    seen(),
    [{ ...LINE, item: { ...sorted(IMAGE), n: { N: '1.5' } } }],
    { ...NONE, items: 1, altered: 1 },
  ],
  ['another time of expiry', seen(), [{ ...LINE, expiredAt: iso(1) }], { ...NONE, items: 1, altered: 1 }],
  ['a version that was not the last', seen({ version: 0 }), [LINE], { ...NONE, strays: 1 }],
  ['a live item that was deleted', seen({ after: -1 }), [LINE], { ...NONE, strays: 1 }],
  ['an item that nobody deleted', seen(), [{ ...LINE, key: { id: { S: 'b' } } }], { ...NONE, strays: 1 }],
  [
    "the application's deletion, told as an expiry",
    seen({ after: -1, ours: true }),
    [{ ...LINE, deletedAt: iso(-1) }],
    { ...NONE, strays: 1 },
  ],
  [
    "the application's deletion, whose record was read late",
    seen({ after: -1, ours: true }),
    [{ ...LINE, deletedAt: iso(0) }],
    { ...NONE, doubtful: 1 },
  ],
  ["the application's deletion after the expiry", seen({ after: 0, ours: true }), [LINE], NONE],
])('%s', (_name, run, arrivals, expected) => {
  expect(judged(run, arrivals)).toMatchObject(expected);
});

test('the lag is that of the first arrival, from the time at which the item was to be deleted', () => {
  expect(judged(seen(), [LINE, LINE]).lagMs).toEqual({ p50: 3_000, p99: 3_000, max: 3_000 });
  expect(judged(seen(), []).lagMs).toEqual({ p50: null, p99: null, max: null });
});

test('plain lines are compared too', () => {
  const plain = { ...LINE, key: { id: 'a' }, item: { id: 'a', n: 1.5, ttl: TTL } };
  expect(judged(seen(), [plain], 'json')).toMatchObject({ ...NONE, items: 1 });
  const other = { ...plain, item: { ...plain.item, n: 2 } };
  expect(judged(seen(), [other], 'json')).toMatchObject({ ...NONE, items: 1, altered: 1 });
});

test.each([
  [-2, 0],
  [-3, 1],
])(
  "the application's deletion %d s after the expiry is no stray where two seconds are tolerated: %d",
  (after, strays) => {
    const line = { ...LINE, deletedAt: iso(after) };
    const arrived = judged(seen({ after, ours: true }), [line], 'dynamodb-json', 2);
    expect(arrived).toMatchObject({ strays, doubtful: 0, items: 0 });
  },
);
