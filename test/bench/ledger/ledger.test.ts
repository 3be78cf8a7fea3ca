import { seededRandom } from 'stepfunctions-emulator';
import { variedAttributes } from '../../../bench/fuzz/users.ts';
import { Deliveries, type Delivery } from '../../../bench/ledger/deliveries.ts';
import { itemText, type Present, type Ttl } from '../../../bench/ledger/item.ts';
import { describeViolations, type Finding, Ledger } from '../../../bench/ledger/ledger.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => (NOW + seconds) * 1000;

/** A ledger whose time a test sets, seconds from now. */
function ledgerAt(seconds: number) {
  let now = at(seconds);
  const ledger = new Ledger(() => now);
  const later = (then: number) => {
    now = at(then);
  };
  return { ledger, later };
}

const LIVE = NOW + 10;
const EXPIRED = NOW - 10;
const gone = (ledger: Ledger, version: number, ttl: Ttl, seconds: number) =>
  ledger.removed('a', version, { ttl, seenAt: at(seconds) });
const there = (version: number, ttl?: number): Present => ({ version, ttl });

/** What happens to an item that is written a minute before now, what a read finds now, and what is wrong with that. */
const CASES: readonly [string, Ttl, (ledger: Ledger) => unknown, Present | undefined, Finding?][] = [
  ['expired and seen to go', EXPIRED, ledger => gone(ledger, 1, EXPIRED, -10), undefined],
  ['live and there', LIVE, () => {}, there(1, LIVE)],
  ['permanent and there', undefined, () => {}, there(1)],
  ['expired in this second and there', NOW, () => {}, there(1, NOW), 'left'],
  ['expired and gone, but not seen to go', EXPIRED, () => {}, undefined, 'goneUnseen'],
  ['live and gone without a trace', LIVE, () => {}, undefined, 'liveMissing'],
  ['removed before its TTL', NOW, ledger => gone(ledger, 1, NOW, -0.001), undefined, 'liveDeleted'],
  ['removed without a TTL', undefined, ledger => gone(ledger, 1, undefined, -5), undefined, 'liveDeleted'],
  [
    'removed before its TTL, and written again',
    EXPIRED,
    ledger => [gone(ledger, 1, EXPIRED, -12), ledger.wrote('a', 2, LIVE)],
    there(2, LIVE),
    'liveDeleted',
  ],
  ['renewed and there', EXPIRED, ledger => ledger.wrote('a', 2, LIVE, 'renewed'), there(2, LIVE)],
  [
    'made permanent and there',
    EXPIRED,
    ledger => ledger.wrote('a', 2, undefined, 'made permanent'),
    there(2),
  ],
  [
    'removed before its new TTL',
    EXPIRED,
    ledger => [ledger.wrote('a', 2, LIVE, 'renewed'), gone(ledger, 2, LIVE, -5)],
    undefined,
    'renewedDeleted',
  ],
  [
    'removed by its former TTL after the renewal was acknowledged',
    EXPIRED,
    ledger => [ledger.wrote('a', 2, LIVE, 'renewed'), gone(ledger, 1, EXPIRED, -5)],
    undefined,
    'renewalLost',
  ],
  ['there with another TTL', LIVE, () => {}, there(1, LIVE + 1), 'otherTtl'],
  ['there with another version', LIVE, () => {}, there(2, LIVE), 'otherVersion'],
  [
    'deleted by the application while it was live',
    LIVE,
    ledger => [ledger.deleted('a'), gone(ledger, 1, LIVE, -5)],
    undefined,
  ],
];

const each = CASES.map(
  ([what, ttl, happen, present, finding]) => [what, { ttl, happen, present, finding }] as const,
);

test.each(each)('an item %s', (_what, { ttl, happen, present, finding }) => {
  const { ledger, later } = ledgerAt(-60);
  ledger.wrote('a', 1, ttl);
  later(-5);
  happen(ledger);
  const found = ledger.verify(new Map(present && [['a', present]]), at(0));
  expect(found.map(violation => violation.finding)).toEqual(finding === undefined ? [] : [finding]);
});

test('a removal that is seen before its write is acknowledged is not forgotten, and the first report counts', () => {
  const { ledger } = ledgerAt(-5);
  gone(ledger, 1, EXPIRED, -9);
  ledger.wrote('a', 1, EXPIRED);
  gone(ledger, 1, EXPIRED, 0);
  expect(ledger.expired(at(0))).toMatchObject([{ deletedAt: at(-9) }]);
  expect(ledger.verify(new Map(), at(0))).toEqual([]);
});

test('items of others are left out', () => {
  const { ledger } = ledgerAt(-5);
  gone(ledger, 1, LIVE, 0);
  expect(ledger.verify(new Map([['b', there(1, 1)]]), at(0))).toEqual([]);
  expect(ledger.tally(at(0))).toMatchObject({ written: 0, liveDeleted: 0 });
});

test('counts at a moment', () => {
  const { ledger } = ledgerAt(-100);
  ledger.wrote('gone', 1, NOW);
  ledger.removed('gone', 1, { ttl: NOW, seenAt: at(0) });
  ledger.wrote('overdue', 1, NOW);
  ledger.wrote('ours', 1, NOW);
  ledger.deleted('ours');
  ledger.wrote('early', 1, NOW);
  ledger.removed('early', 1, { ttl: NOW, seenAt: at(-1) });
  ledger.wrote('renewed', 1, NOW);
  ledger.wrote('renewed', 2, NOW + 100, 'renewed');
  ledger.wrote('lost', 1, NOW);
  ledger.wrote('lost', 2, undefined, 'made permanent');
  ledger.removed('lost', 1, { ttl: NOW, seenAt: at(0) });
  const before = { expired: 0, deleted: 0, overdue: 0, renewed: 0, renewedKept: 0 };
  expect(ledger.tally(at(-0.001))).toEqual({ written: 6, liveDeleted: 1, ...before });
  const now = { expired: 3, deleted: 1, overdue: 1, renewed: 2, renewedKept: 1 };
  expect(ledger.tally(at(0))).toEqual({ written: 6, liveDeleted: 1, ...now });
});

test('an item that was written again and expired again is overdue, whatever became of the first', () => {
  const { ledger } = ledgerAt(-100);
  ledger.wrote('a', 1, NOW - 60);
  gone(ledger, 1, NOW - 60, -59);
  ledger.wrote('a', 2, EXPIRED);
  expect(ledger.tally(at(0))).toMatchObject({ written: 1, expired: 1, deleted: 0, overdue: 1, renewed: 0 });
});

test('what expired, when it was written and when it was deleted', () => {
  const { ledger, later } = ledgerAt(-100);
  ledger.wrote('a', 1, EXPIRED);
  later(-50);
  ledger.wrote('there', 1, NOW - 20);
  ledger.wrote('live', 1, NOW + 1);
  gone(ledger, 1, EXPIRED, -9);
  expect(ledger.expired(at(0))).toEqual([
    { ttl: EXPIRED, writtenAt: at(-100), deletedAt: at(-9) },
    { ttl: NOW - 20, writtenAt: at(-50), deletedAt: undefined },
  ]);
});

test('a violation is counted and named, with the history of its item', () => {
  const { ledger } = ledgerAt(-60);
  ledger.wrote('a', 1, LIVE);
  gone(ledger, 1, LIVE, -5);
  const violations = ledger.verify(new Map(), at(0));
  expect(describeViolations(violations)).toEqual(['1 live items deleted before their TTL: a']);
  expect(violations[0]?.history).toEqual([
    expect.stringContaining(`wrote: version 1, TTL ${LIVE}`),
    expect.stringContaining('removal seen: version 1'),
  ]);
});

const iso = (seconds: number) => new Date(at(seconds)).toISOString();
const KEY = { id: { S: 'a' } };
const IMAGE = { ...KEY, ttl: { N: String(NOW) }, n: { N: '1.50' } };

/** An item with one write, and one deletion that was seen `after` its NOW, seconds. */
function seen({ after = 1, byApplication = false, madeAt = undefined as number | undefined } = {}): Ledger {
  const ledger = new Ledger(() => at(-60));
  ledger.wrote('a', 1, NOW);
  if (byApplication) ledger.deleted('a');
  const made = madeAt !== undefined && { madeAt: at(madeAt) };
  const record = { id: 'event-1', key: KEY, image: IMAGE, ...made };
  ledger.removed('a', 1, { ttl: NOW, seenAt: at(after), record });
  return ledger;
}

const EVENT: Delivery = { id: 'event-1', key: KEY, expiredAt: iso(0), deletedAt: iso(1), oldImage: IMAGE };
const WITHOUT = { ...EVENT, oldImage: undefined };

test.each<[string, Ledger, Partial<Delivery>[], string[], boolean?]>([
  ['nothing', seen(), [], ['notDelivered']],
  ['nothing of an item that was deleted too early', seen({ after: -1 }), [], ['notDelivered']],
  ["nothing of the application's deletion", seen({ after: -1, byApplication: true }), [], []],
  ['an expired item', seen(), [{}], []],
  ['one that was delivered twice', seen(), [{}, {}], []],
  ['an event without its image', seen(), [WITHOUT], [], false],
  ['an event without its image, where it has to have it', seen(), [WITHOUT], ['deliveredOtherwise']],
  ['an event with an image, where it must have none', seen(), [{}], ['deliveredOtherwise'], false],
  ['another image', seen(), [{}, { oldImage: { ...IMAGE, n: { N: '1.6' } } }], ['deliveredOtherwise']],
  ['another key', seen(), [{ key: { id: { S: 'b' } } }], ['deliveredOtherwise']],
  ['another time of expiry', seen(), [{ expiredAt: iso(1) }], ['deliveredOtherwise']],
  ["another time than the record's", seen({ madeAt: 2 }), [{}], ['deliveredOtherwise']],
  ['its own time', seen({ madeAt: 1.9 }), [{}], []],
  ['a live item', seen({ after: -3 }), [{ deletedAt: iso(-3) }], ['deliveredWrongly']],
  ['a record that nobody saw', seen(), [{}, { id: 'event-2' }], ['deliveredWrongly']],
  ["the application's early deletion", seen({ after: -1, byApplication: true }), [{}], ['deliveredWrongly']],
  [
    "the application's deletion before its expiry by the server that made the record",
    seen({ after: 0, byApplication: true, madeAt: -1 }),
    [{ deletedAt: iso(-1) }],
    ['deliveredWrongly'],
  ],
  ["the application's deletion after the expiry", seen({ after: 0, byApplication: true }), [{}], []],
])('%s', (_name, ledger, events, findings, oldImage = true) => {
  const deliveries = new Deliveries([{ name: 'pipe', target: 'queue', oldImage }]);
  for (const event of events) deliveries.delivered('pipe', { ...EVENT, ...event });
  const violations = deliveries.violations(ledger);
  expect(violations.map(({ finding }) => finding)).toEqual(findings);
  expect(deliveries.counts).toEqual([events.length]);
});

const LONG = '12345678901234567890123456789012345678';

test.each([
  ['the order of attributes', { a: { S: '1' }, b: { S: '2' } }, { b: { S: '2' }, a: { S: '1' } }],
  ['the order of a set', { a: { NS: ['1', '2'] } }, { a: { NS: ['2', '1'] } }],
  ['how a number is written', { a: { N: '1.50' } }, { a: { N: '15E-1' } }],
  [
    'bytes or base64',
    { a: { L: [{ B: Buffer.from('x') as unknown as string }] } },
    { a: { L: [{ B: 'eA==' }] } },
  ],
])('%s makes no difference', (_case, one, other) => {
  expect(itemText(one)).toBe(itemText(other));
});

test.each([
  ['the last digit', { a: { N: LONG } }, { a: { N: `${LONG.slice(0, -1)}9` } }],
  ['the type', { a: { N: '1' } }, { a: { S: '1' } }],
  ['the order of a list', { a: { L: [{ S: '1' }, { S: '2' }] } }, { a: { L: [{ S: '2' }, { S: '1' }] } }],
  ['a map without its type', { a: { M: {} } }, { a: {} as never }],
  ['an attribute more', { a: { S: '1' } }, { a: { S: '1' }, b: { NULL: true } }],
])('%s makes a difference', (_case, one, other) => {
  expect(itemText(one)).not.toBe(itemText(other));
});

test("an item has the same text after an archive's line, whatever types it has", () => {
  const random = seededRandom(1);
  const seen = new Set<string>();
  for (let count = 0; count < 200; count += 1) {
    const image = variedAttributes(random);
    for (const value of Object.values(image)) seen.add(Object.keys(value)[0] ?? '');
    expect(itemText(JSON.parse(JSON.stringify(image)))).toBe(itemText(image));
  }
  expect([...seen].sort()).toEqual(['B', 'BOOL', 'BS', 'L', 'M', 'N', 'NS', 'NULL', 'S', 'SS']);
});
