import fc from 'fast-check';
import {
  addLags,
  countAbove,
  LAG_BUCKETS,
  lagOf,
  NO_LAG,
  summarizeLag,
  toMetricHistogram,
} from '../../../functions/report/lag.ts';

test.each([
  [0, 0],
  [16, 0],
  [17, 1],
  [19, 1],
  [20, 2],
  [32, 4],
  [33, 5],
  [1000, 24],
  [5 * 86_400_000, LAG_BUCKETS - 1],
  [365 * 86_400_000, LAG_BUCKETS - 1],
])('a lag of %d ms is in bucket %d', (lagMs, bucket) => {
  const { lagCounts } = lagOf([100], 100_000 + lagMs);
  expect(lagCounts).toEqual({ [bucket]: 1 });
});

test('an item deleted before its TTL, by a clock that runs ahead, counts as not late, and none has no lag', () => {
  expect(lagOf([100], 99_990)).toEqual({ lagCounts: { 0: 1 }, lagMaxMs: 0 });
  expect([lagOf([], 1), summarizeLag(NO_LAG)]).toEqual([NO_LAG, null]);
});

const lags = fc.array(fc.integer({ min: 0, max: 400_000_000 }), { minLength: 1, maxLength: 200 });
const histogram = (values: number[]) =>
  lagOf(
    values.map(ms => -ms / 1000),
    0,
  );

test('quantiles are within a bucket above the true ones, and the maximum is exact', () => {
  fc.assert(
    fc.property(lags, values => {
      const sorted = values.toSorted((one, other) => one - other);
      const summary = summarizeLag(histogram(values));
      for (const [share, got] of [
        [0.5, summary?.p50],
        [0.99, summary?.p99],
      ] as const) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
        expect(got).toBeGreaterThanOrEqual(exact);
        expect(got).toBeLessThanOrEqual(Math.max(16, exact * 1.2 + 1));
      }
      expect(summary?.max).toBe(sorted.at(-1));
    }),
  );
});

test('two lags added are the lag of all items', () => {
  fc.assert(
    fc.property(lags, lags, (one, other) => {
      expect(addLags(histogram(one), histogram(other))).toEqual(histogram([...one, ...other]));
    }),
  );
});

test('a metric has at most a hundred values, each within the extremes, and counts every item', () => {
  fc.assert(
    fc.property(lags, values => {
      const { Values, Counts, Min, Max, Count } = toMetricHistogram(histogram(values));
      expect(Values.length).toBe(Counts.length);
      expect(Values.length).toBeLessThanOrEqual(100);
      expect(Count).toBe(values.length);
      for (const value of Values) {
        expect(value).toBeGreaterThanOrEqual(Min);
        expect(value).toBeLessThanOrEqual(Max);
      }
    }),
  );
});

test.each([
  [[100, 119_000], 0],
  [[100, 160_000, 3_600_000], 2],
  [[], 0],
])('of the lags %p ms, %d are above two minutes', (values, above) => {
  expect(countAbove(histogram(values), 120_000)).toBe(above);
});
