import type { Present, Ttl } from '../../../bench/ledger/item.ts';
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
