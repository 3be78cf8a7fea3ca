import fc from 'fast-check';
import {
  areWindows,
  joinedWindows,
  partOfTarget,
  rangesOf,
  shardsOf,
  shardsOfTarget,
} from '../../../functions/table/target-windows.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';

const TARGET: SweepTarget = {
  windows: [
    { start: 60, shards: '0-2' },
    { start: 120, shards: '1,5-6' },
  ],
  from: 1,
  before: 100,
  upcomingFrom: null,
};

test.each([
  ['0', [0]],
  ['0-2', [2, 0, 1, 1]],
  ['0,2-3,999', [0, 2, 3, 999]],
])('shards are told as ranges: %s', (ranges, shards) => {
  expect(rangesOf(shards)).toBe(ranges);
  expect(shardsOf(ranges)).toEqual([...new Set(shards)].sort((one, other) => one - other));
});

test('ranges of any shards are read as these, and take two characters for each of a thousand at the most', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 1000 }), all => {
      const ranges = rangesOf(all);
      expect(shardsOf(ranges)).toEqual([...all].sort((one, other) => one - other));
      expect(ranges.length).toBeLessThanOrEqual(2_000);
    }),
  );
});

test('joined, each window stands once, the oldest first, with the shards of all', () => {
  expect(joinedWindows([{ start: 120, shards: '3' }, ...TARGET.windows])).toEqual([
    { start: 60, shards: '0-2' },
    { start: 120, shards: '1,3,5-6' },
  ]);
  expect(shardsOfTarget(TARGET)).toEqual([0, 1, 2, 5, 6]);
});

test('a part has the windows in which it has shards', () => {
  expect(partOfTarget(TARGET, [0, 2])).toEqual({ ...TARGET, windows: [{ start: 60, shards: '0,2' }] });
});

test.each<[unknown, boolean]>([
  [TARGET.windows, true],
  [[], true],
  [5, false],
  [[null], false],
  [[{ start: 1.5, shards: '0' }], false],
  [[{ start: 60, shards: '' }], false],
  [[{ start: 60, shards: '0-99999999' }], false],
  [[{ start: 60, shards: 7 }], false],
])('%j are windows of a target: %s', (value, expected) => {
  expect(areWindows(value)).toBe(expected);
});
