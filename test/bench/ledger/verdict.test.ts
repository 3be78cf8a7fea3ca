import { Ledger } from '../../../bench/ledger/ledger.ts';
import { FINDINGS } from '../../../bench/ledger/verdict.ts';

const NOW = 1_800_000_000;
const seen = (seconds: number) => seconds * 1000 + 500;

function verify(ledger: Ledger, present: Record<string, { version: number; ttl?: number }> = {}) {
  const map = new Map(Object.entries(present).map(([id, { version, ttl }]) => [id, { version, ttl }]));
  const violations = ledger.verify(map, { sweptUpTo: NOW, nowMs: NOW * 1000 });
  return violations.map(({ finding, id }) => `${id}: ${FINDINGS[finding].what}`);
}

/** An item that was written once. */
function written(ttl: number | undefined): Ledger {
  const ledger = new Ledger();
  ledger.wrote('a', 1, ttl, 'wrote');
  return ledger;
}

test('what expired and was seen to go, and what lives and is there, is right', () => {
  const ledger = written(NOW - 10);
  ledger.removed('a', 1, { ttl: NOW - 10, seenAt: seen(NOW - 10) });
  ledger.wrote('b', 1, NOW + 10, 'wrote');
  ledger.wrote('c', 1, undefined, 'wrote');
  expect(verify(ledger, { b: { version: 1, ttl: NOW + 10 }, c: { version: 1 } })).toEqual([]);
  expect(ledger.counts).toMatchObject({ items: 3, swept: 1, deletedByUs: 0 });
});

test('lost: expired and still there', () => {
  expect(verify(written(NOW), { a: { version: 1, ttl: NOW } })).toEqual(['a: lost']);
});

test.each([
  ['before its TTL', NOW - 10, NOW - 12],
  ['without a TTL', undefined, NOW - 12],
])('wrongly deleted: removed %s', (_case, ttl, at) => {
  const ledger = written(ttl);
  ledger.removed('a', 1, { ttl, seenAt: seen(at) });
  expect(verify(ledger)).toEqual(['a: wrongly deleted']);
});

test('wrongly deleted: alive, and gone without a trace', () => {
  expect(verify(written(NOW + 10))).toEqual(['a: wrongly deleted']);
});

test('wrongly deleted: an earlier version of what was written again later', () => {
  const ledger = written(NOW - 5);
  ledger.removed('a', 1, { ttl: NOW - 5, seenAt: seen(NOW - 8) });
  ledger.wrote('a', 2, NOW + 10, 'wrote');
  expect(verify(ledger, { a: { version: 2, ttl: NOW + 10 } })).toEqual(['a: wrongly deleted']);
});

test('renewed: the removal of the former version would have been right, that of the new one is not', () => {
  const ledger = written(NOW - 20);
  ledger.wrote('a', 2, NOW - 5, 'renewed');
  ledger.removed('a', 2, { ttl: NOW - 5, seenAt: seen(NOW - 19) });
  expect(verify(ledger)).toEqual(['a: wrongly deleted']);
  expect(ledger.counts.renewals).toBe(1);
});

test.each(['deleted', 'unsure'] as const)('our own deleter may delete what lives: %s', outcome => {
  const ledger = written(NOW + 10);
  ledger.deleted('a', 1, outcome);
  ledger.removed('a', 1, { ttl: NOW + 10, seenAt: seen(NOW - 10) });
  expect(verify(ledger)).toEqual([]);
  expect(ledger.counts).toMatchObject({ deletedByUs: 1, swept: 0 });
});

test('an unsure delete that did not take place leaves a live item in its place', () => {
  const ledger = written(NOW + 10);
  ledger.deleted('a', 1, 'unsure');
  expect(verify(ledger, { a: { version: 1, ttl: NOW + 10 } })).toEqual([]);
});

test('a delete that came too late does not excuse the removal', () => {
  const ledger = written(NOW + 10);
  ledger.removed('a', 1, { ttl: NOW + 10, seenAt: seen(NOW - 10) });
  ledger.deleted('a', 1, 'was gone');
  expect(verify(ledger)).toEqual(['a: wrongly deleted']);
});

test('a removal that is seen before its write is acknowledged is not forgotten', () => {
  const ledger = new Ledger();
  ledger.removed('a', 1, { ttl: NOW - 10, seenAt: seen(NOW - 9) });
  ledger.wrote('a', 1, NOW - 10, 'wrote');
  expect(verify(ledger)).toEqual([]);
});

test.each([
  ['another version', { version: 2, ttl: NOW + 10 }],
  ['another TTL', { version: 1, ttl: NOW + 11 }],
])('out of step: %s than was acknowledged', (_case, present) => {
  expect(verify(written(NOW + 10), { a: present })).toEqual(['a: out of step']);
});

test('out of step: expired and gone, but not seen to go', () => {
  expect(verify(written(NOW - 1))).toEqual(['a: out of step']);
});

test('overdue is what is expired, not seen to go and not ours', () => {
  const ledger = written(NOW - 1);
  expect(ledger.tally(NOW * 1000).overdue).toBe(1);
  expect(ledger.tally((NOW - 2) * 1000).overdue).toBe(0);
  ledger.deleted('a', 1, 'deleted');
  expect(ledger.tally(NOW * 1000).overdue).toBe(0);
});

test('a violation tells what happened to the item', () => {
  const ledger = written(NOW + 10);
  ledger.tooLate('a');
  const [violation] = ledger.verify(new Map(), { nowMs: NOW * 1000 });
  expect(violation?.history).toEqual([
    expect.stringContaining(`wrote: version 1, TTL ${NOW + 10}`),
    expect.stringContaining('was gone when it was to be renewed'),
  ]);
});

describe('what the application itself finds gone', () => {
  const at = (seconds: number) => {
    let now = (NOW - 100) * 1000;
    const ledger = new Ledger(() => now);
    ledger.wrote('a', 1, NOW, 'wrote');
    now = seconds * 1000;
    return ledger;
  };

  test.each([
    ['a second before it expires', NOW - 0.001, ['a: wrongly deleted']],
    ['in the second in which it expires', NOW, []],
  ])('%s', (_case, seconds, expected) => {
    const renewing = at(seconds);
    renewing.tooLate('a');
    const deleting = at(seconds);
    deleting.deleted('a', 1, 'was gone');
    for (const ledger of [renewing, deleting]) {
      ledger.removed('a', 1, { ttl: NOW, seenAt: seen(NOW) });
      expect(verify(ledger)).toEqual(expected);
    }
  });

  test('is no fault of the sweep when the application may have deleted it', () => {
    const ledger = at(NOW - 5);
    ledger.deleted('a', 1, 'unsure');
    ledger.tooLate('a');
    expect(verify(ledger)).toEqual([]);
  });
});
