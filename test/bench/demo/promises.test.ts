import { punctualityOf } from '../../../bench/demo/promises.ts';
import type { SweptItem } from '../../../bench/ledger/tally.ts';
import type { Span } from '../../../bench/watch/machine.ts';

/** A minute whose tick knew everything. */
const MINUTE = Date.parse('2026-11-20T09:01:00Z') / 1000;
const gone = (lagMs: number | undefined): SweptItem => ({
  ttl: MINUTE + 5,
  knownAt: 0,
  shard: 0,
  goneAt: lagMs === undefined ? undefined : (MINUTE + 5) * 1000 + lagMs,
});
const punctuality = (lagsMs: readonly (number | undefined)[], lost: (span: Span) => number = () => 0) =>
  punctualityOf(lagsMs.map(gone), {
    pace: { precision: 'second', pollSeconds: 0 },
    rate: 20,
    plannedAt: minute => minute * 1000,
    lost,
  });

test('in time is up to what is promised, to the millisecond', () => {
  expect(punctuality([0, 2_020, 2_021, 59_000])).toEqual({ inTime: 2, excused: 0, late: 2 });
});

test('what is not gone is neither', () => {
  expect(punctuality([undefined])).toEqual({ inTime: 0, excused: 0, late: 0 });
});

test('a machine excuses as much as it lost while the deletion was due, and not a millisecond more', () => {
  const spans: Span[] = [];
  const lost = (span: Span) => {
    spans.push(span);
    return 1_000;
  };
  expect(punctuality([2_000, 3_020, 3_021], lost)).toEqual({ inTime: 1, excused: 1, late: 1 });
  const from = (MINUTE + 5) * 1000;
  expect(spans).toEqual([
    { from, to: from + 3_020 },
    { from, to: from + 3_021 },
  ]);
});
