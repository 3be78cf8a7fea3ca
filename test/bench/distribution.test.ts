import fc from 'fast-check';
import { cumulative } from '../../bench/live/distribution.ts';

const upTo = (count: number) => Array.from({ length: count }, (_unused, index) => index + 1);

describe('the cumulative distribution', () => {
  test.each<[string, number[], number, number, [number, number][]]>([
    ['of nothing is empty', [], 10, 200, []],
    ['of one is its share', [5], 2, 200, [[5, 0.5]]],
    [
      'has every lag while there is room',
      [3, 1, 2],
      4,
      3,
      [
        [1, 0.25],
        [2, 0.5],
        [3, 0.75],
      ],
    ],
    [
      'keeps the first and the largest',
      upTo(1000),
      1000,
      2,
      [
        [1, 0.001],
        [1000, 1],
      ],
    ],
    ['keeps the largest when there is room for one', upTo(1000), 1000, 1, [[1000, 1]]],
  ])('%s', (_name, lags, expired, maxPoints, expected) => {
    expect(cumulative(lags, expired, maxPoints)).toEqual(expected);
  });

  test('never falls, never has too many points, and ends with what was deleted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(200_000), { minLength: 1, maxLength: 500 }),
        fc.nat(50),
        fc.integer({ min: 1, max: 200 }),
        (lags, left, maxPoints) => {
          const expired = lags.length + left;
          const points = cumulative(lags, expired, maxPoints);
          expect(points.length).toBeLessThanOrEqual(maxPoints);
          for (const [index, [lagMs, share]] of points.entries()) {
            const [lagBefore, shareBefore] = points[index - 1] ?? [0, 0];
            expect(lagMs).toBeGreaterThanOrEqual(lagBefore);
            expect(share).toBeGreaterThan(shareBefore);
          }
          expect(points.at(-1)?.[0]).toBe(Math.max(...lags));
          expect(points.at(-1)?.[1]).toBeCloseTo(lags.length / expired, 4);
        },
      ),
    );
  });
});
