import { deletionTimeMs, looksDueBy, promisedLagMs } from '../../../bench/demo/deadline.ts';
import type { SweptItem } from '../../../bench/ledger/tally.ts';

/** 09:00:00 of a day; everything else is seconds from there. */
const NINE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const item = (expires: number, known: number, shard = 0): SweptItem => ({
  ttl: NINE + expires,
  knownAt: (NINE + known) * 1000,
  shard,
  goneAt: undefined,
});
const PACES = {
  second: { precision: 'second', pollSeconds: 0 },
  margin: { precision: 'second', pollSeconds: 0, marginSeconds: 1 },
  watched: { precision: 'second', pollSeconds: 5 },
  minute: { precision: 'minute', pollSeconds: 0 },
} as const;

/** Seconds from 09:00:00 by which the sweep has to poll for each item. @param late by the minute of a tick, when it began to look */
function dueBy(
  items: readonly SweptItem[],
  pace: keyof typeof PACES,
  late: readonly (readonly [minute: number, at: number])[] = [],
): number[] {
  const ticks = new Map(late.map(([minute, at]) => [NINE + minute, (NINE + at) * 1000]));
  const due = looksDueBy(items, PACES[pace], ticks);
  return items.map(each => (due.get(each) ?? Number.NaN) / 1000 - NINE);
}

test.each<[string, keyof typeof PACES, readonly SweptItem[], number[]]>([
  ['known before its tick', 'second', [item(75, 0)], [76]],
  ['known after its tick: nobody waits', 'second', [item(75, 0.001)], [121]],
  ['known after its tick, beside one that was known', 'second', [item(75, 60), item(90, 0)], [76, 91]],
  ['written in its minute: the next tick', 'second', [item(65, 61), item(95, 0)], [121, 96]],
  ['another shard does not help', 'second', [item(75, 60), item(90, 0, 1)], [121, 91]],
  ['another minute does not help', 'second', [item(75, 60), item(120, 0)], [121, 121]],
  ['on the edge of a minute', 'second', [item(60, 0), item(119, 0)], [61, 120]],
  ['written after it expired: the next tick', 'second', [item(75, 130)], [181]],
  ['with a margin an edge is in the next minute', 'margin', [item(59, 0), item(119, 0)], [60, 120]],
  ['with a margin: the first tick after it', 'margin', [item(118, 61), item(119, 61)], [121, 181]],
  ['watched: nobody has to be known', 'watched', [item(75, 60)], [76]],
  ['watched: written seconds before', 'watched', [item(75, 69), item(75, 73.5)], [76, 80]],
  [
    'by minute: the next tick',
    'minute',
    [item(75, 0), item(119, 118), item(60, 0), item(60.5, 0)],
    [120, 120, 60, 120],
  ],
])('%s', (_name, pace, items, expected) => {
  expect(dueBy(items, pace)).toEqual(expected);
});

test.each<[string, keyof typeof PACES, readonly SweptItem[], number[]]>([
  ['of its minute, known to it', 'second', [item(75, 68), item(80, 69)], [76, 81]],
  ['of its minute, expired before it', 'second', [item(65, 64)], [71]],
  ['of its minute, unknown to it: the next tick', 'second', [item(75, 68), item(80, 71)], [76, 121]],
  ['of its minute, watched', 'watched', [item(75, 68), item(80, 71)], [76, 81]],
  ['expired before, known to it: in the 45 s of its lookback', 'second', [item(-300, 69)], [116]],
  ['expired before, unknown to it: the next tick', 'second', [item(-300, 71)], [121]],
  ['expired before, watched: no child waits for a minute that is over', 'watched', [item(-300, 71)], [121]],
  ['expired in the minute of the tick: the next one', 'second', [item(0, 69)], [121]],
  ['expired before, by minute', 'minute', [item(-300, 69), item(0, 69), item(1, 69)], [115, 115, 120]],
])('a tick that is started 70 s late: %s', (_name, pace, items, expected) => {
  expect(dueBy(items, pace, [[0, 70]])).toEqual(expected);
});

test('what deleting may take grows with what falls due at once', () => {
  expect(deletionTimeMs(undefined, 20)).toBe(1_020);
  expect(deletionTimeMs(1, 1_200)).toBe(3_200);
  expect(promisedLagMs(PACES.second, 20)).toBe(2_020);
  expect(promisedLagMs(PACES.margin, 20)).toBe(3_020);
  expect(promisedLagMs(PACES.minute, 1)).toBe(61_060);
});
