import { dueAt, promisedLagMs } from '../../../bench/demo/judge.ts';

/** 09:00:00 of a day; everything else is seconds from there. */
const NINE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const PACES = {
  second: { precision: 'second', pollSeconds: 0 },
  margin: { precision: 'second', pollSeconds: 0, marginSeconds: 1 },
  polled: { precision: 'second', pollSeconds: 5 },
  minute: { precision: 'minute', pollSeconds: 0 },
} as const;

test.each<[string, keyof typeof PACES, ttl: number, written: number, due: number, late?: readonly number[]]>([
  ['known to its tick', 'second', 75, 0, 75],
  ['unknown to its tick: two minutes after both', 'second', 75, 0.001, 195],
  ['written after it expired', 'second', 75, 130, 250],
  ['on the edge of a minute', 'second', 120, 60, 120],
  ['with a margin an edge is in the next minute', 'margin', 119, 60, 119],
  ['polled: written as many seconds before', 'polled', 75, 70, 75],
  ['polled: written later', 'polled', 75, 70.001, 195],
  ['by minute', 'minute', 75, 0, 75],
  ['by minute, written after it expired', 'minute', 75, 130, 130],
  ['known to its tick, which came late', 'second', 75, 69, 75, [70]],
  ['expired before its tick, which came late', 'second', 65, 64, 70, [70]],
  ['unknown to its tick, which came late', 'second', 80, 71, 200, [70]],
])('an item is due: %s', (_name, pace, ttl, written, due, late = []) => {
  const item = { ttl: NINE + ttl, writtenAt: (NINE + written) * 1000, deletedAt: undefined };
  const lateTicks = new Map(late.map(at => [NINE, (NINE + at) * 1000]));
  expect(dueAt(item, PACES[pace], lateTicks)).toBe((NINE + due) * 1000);
});

test('what deleting may take grows with what falls due at once', () => {
  expect(promisedLagMs(PACES.second, 20)).toBe(2_020);
  expect(promisedLagMs(PACES.margin, 1_200)).toBe(4_200);
  expect(promisedLagMs(PACES.minute, 1)).toBe(61_060);
});
