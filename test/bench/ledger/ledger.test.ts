import type { Present } from '../../../bench/ledger/item.ts';
import { Ledger } from '../../../bench/ledger/ledger.ts';
import { describeViolations } from '../../../bench/ledger/verdict.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => (NOW + seconds) * 1000;

/** A ledger of one of each: expired, live, permanent, renewed, made permanent; what happened to them is up to a test. */
function ledgerOfFive(): Ledger {
  const ledger = new Ledger(() => at(-100));
  ledger.wrote('expired', 1, NOW - 10);
  ledger.wrote('live', 1, NOW + 100);
  ledger.wrote('permanent', 1, undefined);
  ledger.wrote('renewed', 1, NOW - 5);
  ledger.wrote('renewed', 2, NOW + 200, 'renewed');
  ledger.wrote('madePermanent', 1, NOW - 5);
  ledger.wrote('madePermanent', 2, undefined, 'made permanent');
  return ledger;
}

const KEPT: [string, Present][] = [
  ['live', { version: 1, ttl: NOW + 100 }],
  ['permanent', { version: 1, ttl: undefined }],
  ['renewed', { version: 2, ttl: NOW + 200 }],
  ['madePermanent', { version: 2, ttl: undefined }],
];

const verify = (ledger: Ledger, present: Iterable<[string, Present]>) =>
  describeViolations(ledger.verify(new Map(present), { nowMs: at(0) }));

test('a run where all went well adds up', () => {
  const ledger = ledgerOfFive();
  ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9.5) });
  expect(ledger.tally(at(0))).toEqual({
    written: 5,
    expired: 1,
    deleted: 1,
    overdue: 0,
    liveDeleted: 0,
    renewed: 2,
    renewedKept: 2,
  });
  expect(ledger.lags).toEqual([500]);
  expect(verify(ledger, KEPT)).toEqual([]);
});

test('an item is expired from the second of its TTL on', () => {
  const ledger = new Ledger();
  ledger.wrote('a', 1, NOW);
  expect(ledger.tally(at(-0.001))).toMatchObject({ expired: 0, overdue: 0 });
  expect(ledger.tally(at(0))).toMatchObject({ expired: 1, overdue: 1 });
});

test('an item that expires again after its renewal is expired, deleted, and was kept', () => {
  const ledger = new Ledger();
  ledger.wrote('a', 1, NOW - 60);
  ledger.wrote('a', 2, NOW - 10, 'renewed');
  ledger.removed('a', 2, { ttl: NOW - 10, seenAt: at(-9) });
  expect(ledger.tally(at(0))).toMatchObject({
    expired: 1,
    deleted: 1,
    renewed: 1,
    renewedKept: 1,
    liveDeleted: 0,
  });
  expect(verify(ledger, [])).toEqual([]);
});

test('a renewal only counts once the former TTL has passed', () => {
  const ledger = new Ledger();
  ledger.wrote('a', 1, NOW + 5);
  ledger.wrote('a', 2, NOW + 100, 'renewed');
  expect(ledger.tally(at(0))).toMatchObject({ renewed: 0, renewedKept: 0 });
  expect(ledger.tally(at(5))).toMatchObject({ renewed: 1, renewedKept: 1 });
});

test('items of others and deletions reported twice are left out', () => {
  const ledger = ledgerOfFive();
  ledger.removed('somebody else', 1, { ttl: NOW - 10, seenAt: at(0) });
  ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) });
  ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(0) });
  expect(ledger.lags).toEqual([1000]);
  expect(verify(ledger, [...KEPT, ['somebody else', { version: 1, ttl: 1 }]])).toEqual([]);
});

describe('fails for', () => {
  test.each<[string, (ledger: Ledger) => void, [string, Present][], RegExp, Record<string, number>]>([
    [
      'an expired item that is still there',
      () => {},
      [...KEPT, ['expired', { version: 1, ttl: NOW - 10 }]],
      /^1 expired items still in the table: expired$/,
      { overdue: 1, deleted: 0 },
    ],
    [
      'an expired item that is gone unseen',
      () => {},
      KEPT,
      /^1 expired items gone without a deletion that was seen: expired$/,
      { overdue: 1 },
    ],
    [
      'a deletion before the TTL',
      ledger => {
        ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('live', 1, { ttl: NOW + 100, seenAt: at(99.999) });
      },
      KEPT.filter(([id]) => id !== 'live'),
      /^1 live items deleted before their TTL: live$/,
      { liveDeleted: 1 },
    ],
    [
      'a deletion of an item without a TTL',
      ledger => {
        ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('permanent', 1, { ttl: undefined, seenAt: at(0) });
      },
      KEPT.filter(([id]) => id !== 'permanent'),
      /^1 live items deleted before their TTL: permanent$/,
      { liveDeleted: 1 },
    ],
    [
      'a renewed item that was deleted before its new TTL',
      ledger => {
        ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('renewed', 2, { ttl: NOW + 200, seenAt: at(0) });
      },
      KEPT.filter(([id]) => id !== 'renewed'),
      /^1 renewed items deleted before their new TTL: renewed$/,
      { liveDeleted: 1, renewedKept: 2 },
    ],
    [
      'an acknowledged renewal that was lost',
      ledger => {
        ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('renewed', 1, { ttl: NOW - 5, seenAt: at(0) });
      },
      KEPT.filter(([id]) => id !== 'renewed'),
      /^1 items deleted after DynamoDB had acknowledged their renewal: renewed$/,
      { renewed: 2, renewedKept: 1 },
    ],
    [
      'a live item that is missing without a deletion in the stream',
      ledger => ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) }),
      KEPT.filter(([id]) => id !== 'madePermanent'),
      /^1 live items missing from the table: madePermanent$/,
      {},
    ],
    [
      'an item with another TTL than was written',
      ledger => ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) }),
      [...KEPT.filter(([id]) => id !== 'live'), ['live', { version: 1, ttl: NOW + 1 }]],
      /^1 items with another TTL in the table than was written: live$/,
      {},
    ],
    [
      'an item with another version than was written',
      ledger => ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) }),
      [...KEPT.filter(([id]) => id !== 'live'), ['live', { version: 2, ttl: NOW + 100 }]],
      /^1 items with another version in the table than was written: live$/,
      {},
    ],
    [
      'a live item that was gone when it was to be renewed',
      ledger => {
        ledger.removed('expired', 1, { ttl: NOW - 10, seenAt: at(-9) });
        ledger.tooLate('live');
      },
      KEPT.filter(([id]) => id !== 'live'),
      /^1 live items that were gone when they were to be renewed or deleted: live$/,
      {},
    ],
  ])('%s', (_, happen, present, expected, counts) => {
    const ledger = ledgerOfFive();
    happen(ledger);
    const violations = verify(ledger, present);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(expected);
    expect(ledger.tally(at(0))).toMatchObject(counts);
  });
});

test('an item that was written again and expired again is overdue, whatever became of the first', () => {
  const ledger = new Ledger();
  ledger.wrote('a', 1, NOW - 60);
  ledger.removed('a', 1, { ttl: NOW - 60, seenAt: at(-59) });
  ledger.wrote('a', 2, NOW - 10, 'wrote');
  expect(ledger.tally(at(0))).toMatchObject({ written: 1, expired: 1, deleted: 0, overdue: 1, renewed: 0 });
});

test('what expired, when it was known, where it is and when it went', () => {
  let now = at(-100);
  const ledger = new Ledger(() => now);
  ledger.wrote('gone', 1, NOW - 10, 'wrote', 3);
  now = at(-50);
  ledger.wrote('there', 1, NOW - 20);
  ledger.wrote('live', 1, NOW + 1);
  ledger.wrote('early', 1, NOW - 5);
  ledger.removed('gone', 1, { ttl: NOW - 10, seenAt: at(-9) });
  ledger.removed('early', 1, { ttl: NOW - 5, seenAt: at(-6) });
  expect(ledger.swept(at(0))).toEqual([
    { ttl: NOW - 10, knownAt: at(-100), shard: 3, goneAt: at(-9) },
    { ttl: NOW - 20, knownAt: at(-50), shard: 0, goneAt: undefined },
  ]);
});
