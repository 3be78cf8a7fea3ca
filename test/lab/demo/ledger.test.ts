import { Ledger, type Ttl } from '../../../lab/demo/ledger.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => (NOW + seconds) * 1000;

/** A ledger of one of each: expired, live, permanent, renewed, made permanent; what happened to them is up to a test. */
function ledgerOfFive(): Ledger {
  const ledger = new Ledger();
  ledger.wrote('expired', NOW - 10);
  ledger.wrote('live', NOW + 100);
  ledger.wrote('permanent', undefined);
  ledger.wrote('renewed', NOW - 5);
  ledger.renewed('renewed', NOW + 200);
  ledger.wrote('madePermanent', NOW - 5);
  ledger.renewed('madePermanent', undefined);
  return ledger;
}

const KEPT: [string, Ttl][] = [
  ['live', NOW + 100],
  ['permanent', undefined],
  ['renewed', NOW + 200],
  ['madePermanent', undefined],
];

test('a run where all went well adds up', () => {
  const ledger = ledgerOfFive();
  ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9.5) });
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
  expect(ledger.verify(new Map(KEPT), at(0))).toEqual([]);
});

test('an item is expired from the second of its TTL on', () => {
  const ledger = new Ledger();
  ledger.wrote('a', NOW);
  expect(ledger.tally(at(-0.001))).toMatchObject({ expired: 0, overdue: 0 });
  expect(ledger.tally(at(0))).toMatchObject({ expired: 1, overdue: 1 });
});

test('an item that expires again after its renewal is expired, deleted, and was kept', () => {
  const ledger = new Ledger();
  ledger.wrote('a', NOW - 60);
  ledger.renewed('a', NOW - 10);
  ledger.removed('a', { ttl: NOW - 10, seenAt: at(-9) });
  expect(ledger.tally(at(0))).toMatchObject({
    expired: 1,
    deleted: 1,
    renewed: 1,
    renewedKept: 1,
    liveDeleted: 0,
  });
  expect(ledger.verify(new Map(), at(0))).toEqual([]);
});

test('a renewal only counts once the former TTL has passed', () => {
  const ledger = new Ledger();
  ledger.wrote('a', NOW + 5);
  ledger.renewed('a', NOW + 100);
  expect(ledger.tally(at(0))).toMatchObject({ renewed: 0, renewedKept: 0 });
  expect(ledger.tally(at(5))).toMatchObject({ renewed: 1, renewedKept: 1 });
});

test('items of others and deletions reported twice are left out', () => {
  const ledger = ledgerOfFive();
  ledger.removed('somebody else', { ttl: NOW - 10, seenAt: at(0) });
  ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) });
  ledger.removed('expired', { ttl: NOW - 10, seenAt: at(0) });
  expect(ledger.lags).toEqual([1000]);
  expect(ledger.verify(new Map([...KEPT, ['somebody else', 1]]), at(0))).toEqual([]);
});

describe('fails for', () => {
  test.each<[string, (ledger: Ledger) => void, [string, Ttl][], RegExp, Record<string, number>]>([
    [
      'an expired item that is still there',
      () => {},
      [...KEPT, ['expired', NOW - 10]],
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
        ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('live', { ttl: NOW + 100, seenAt: at(99.999) });
      },
      KEPT.filter(([id]) => id !== 'live'),
      /^1 live items deleted before their TTL: live$/,
      { liveDeleted: 1 },
    ],
    [
      'a deletion of an item without a TTL',
      ledger => {
        ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('permanent', { ttl: undefined, seenAt: at(0) });
      },
      KEPT.filter(([id]) => id !== 'permanent'),
      /^1 live items deleted before their TTL: permanent$/,
      { liveDeleted: 1 },
    ],
    [
      'a renewed item that was deleted before its new TTL',
      ledger => {
        ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('renewed', { ttl: NOW + 200, seenAt: at(0) });
      },
      KEPT.filter(([id]) => id !== 'renewed'),
      /^1 renewed items deleted before their new TTL: renewed$/,
      { liveDeleted: 1, renewedKept: 2 },
    ],
    [
      'an acknowledged renewal that was lost',
      ledger => {
        ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) });
        ledger.removed('renewed', { ttl: NOW - 5, seenAt: at(0) });
      },
      KEPT.filter(([id]) => id !== 'renewed'),
      /^1 items deleted after DynamoDB had acknowledged their renewal: renewed$/,
      { renewed: 2, renewedKept: 1 },
    ],
    [
      'a live item that is missing without a deletion in the stream',
      ledger => ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) }),
      KEPT.filter(([id]) => id !== 'madePermanent'),
      /^1 live items missing from the table: madePermanent$/,
      {},
    ],
    [
      'an item with another TTL than was written',
      ledger => ledger.removed('expired', { ttl: NOW - 10, seenAt: at(-9) }),
      [...KEPT.filter(([id]) => id !== 'live'), ['live', NOW + 1]],
      /^1 items with another TTL in the table than was written: live$/,
      {},
    ],
  ])('%s', (_, happen, present, expected, counts) => {
    const ledger = ledgerOfFive();
    happen(ledger);
    const violations = ledger.verify(new Map(present), at(0));
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(expected);
    expect(ledger.tally(at(0))).toMatchObject(counts);
  });
});
