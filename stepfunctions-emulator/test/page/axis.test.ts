import { axisTimes } from '../../page/model/axis.ts';

// The times that the axis of the waterfall names.

test.each([
  [1, 6, [0, 1]],
  [2, 6, [0, 1, 2]],
  [7, 6, [0, 2, 4, 6]],
  [80, 6, [0, 20, 40, 60, 80]],
  [1_004, 6, [0, 200, 400, 600, 800, 1_000]],
  [62_000, 6, [0, 20_000, 40_000, 60_000]],
  [62_000, 2, [0, 60_000]],
  [3 * 86_400_000, 4, [0, 86_400_000, 2 * 86_400_000, 3 * 86_400_000]],
])('of %i ms, with room for %i: whole units, none twice', (span, room, expected) => {
  expect(axisTimes(span, room)).toEqual(expected);
});

test('a span of years still has an end', () => {
  const years = 10 * 365 * 86_400_000;
  expect(axisTimes(years, 4)).toEqual([0, years]);
});
