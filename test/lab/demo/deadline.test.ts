import { deletionTimeMs, pollsDueBy, promisedLagMs } from '../../../lab/demo/deadline.ts';
import type { SweptItem } from '../../../lab/ledger/tally.ts';

/** 09:00:00 of a day; everything else is seconds from there. */
const NINE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const item = (expires: number, known: number, shard = 0): SweptItem => ({
  ttl: NINE + expires,
  knownAt: (NINE + known) * 1000,
  shard,
  goneAt: undefined,
});
const PACES = {
  toTheSecond: { precisionSeconds: 1, pollSeconds: 0 },
  tenSeconds: { precisionSeconds: 10, pollSeconds: 0 },
  polled: { precisionSeconds: 1, pollSeconds: 5 },
  plain: { precisionSeconds: 60, pollSeconds: 0 },
} as const;

/** Seconds from 09:00:00 by which the sweep has to poll for each item. */
function dueBy(items: readonly SweptItem[], pace: keyof typeof PACES): number[] {
  const due = pollsDueBy(items, PACES[pace], minute => minute * 1000);
  return items.map(each => (due.get(each) ?? Number.NaN) / 1000 - NINE);
}

test.each<[string, keyof typeof PACES, readonly SweptItem[], number[]]>([
  ['known before its tick', 'toTheSecond', [item(75, 0)], [76]],
  ['known after its tick: nobody waits', 'toTheSecond', [item(75, 0.001)], [121]],
  ['known after its tick, beside one that was known', 'toTheSecond', [item(75, 60), item(90, 0)], [76, 91]],
  ['written in its minute: with the next known one', 'toTheSecond', [item(65, 61), item(95, 0)], [96, 96]],
  [
    'written in its minute: not with one that is planned',
    'toTheSecond',
    [item(75, 61), item(90, 0)],
    [121, 91],
  ],
  ['written in its minute: not with one before it', 'toTheSecond', [item(75, 61), item(74, 0)], [121, 75]],
  [
    'written in its minute: not with another late one',
    'toTheSecond',
    [item(75, 61), item(80, 61), item(70, 0)],
    [121, 121, 71],
  ],
  ['another shard does not help', 'toTheSecond', [item(75, 61), item(90, 0, 1)], [121, 91]],
  ['another minute does not help', 'toTheSecond', [item(75, 61), item(120, 0)], [121, 121]],
  ['on the edge of a minute', 'toTheSecond', [item(60, 0), item(119, 0)], [61, 120]],
  ['written after it expired: the next tick', 'toTheSecond', [item(75, 130)], [181]],
  ['ten seconds', 'tenSeconds', [item(75, 0), item(76, 61)], [85, 130]],
  ['polled: nobody has to be known', 'polled', [item(75, 60)], [76]],
  ['polled: written seconds before', 'polled', [item(75, 69), item(75, 73.5)], [76, 80]],
  ['polled: the next known one is planned', 'polled', [item(75, 73.5), item(76, 0)], [80, 77]],
  [
    'plain: the next tick',
    'plain',
    [item(75, 0), item(119, 118), item(60, 0), item(60.5, 0)],
    [120, 120, 60, 120],
  ],
])('%s', (_name, pace, items, expected) => {
  expect(dueBy(items, pace)).toEqual(expected);
});

test('what deleting may take grows with what falls due at once', () => {
  expect(deletionTimeMs(PACES.toTheSecond, 20)).toBe(1_020);
  expect(deletionTimeMs(PACES.tenSeconds, 20)).toBe(1_200);
  expect(deletionTimeMs(PACES.plain, 20)).toBe(2_200);
  expect(promisedLagMs(PACES.toTheSecond, 20)).toBe(2_020);
  expect(promisedLagMs(PACES.plain, 1)).toBe(61_060);
});
