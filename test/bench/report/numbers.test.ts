import { lagPercentiles } from '../../../bench/report/numbers.ts';

const upTo = (count: number) => Array.from({ length: count }, (_unused, index) => index + 1);

describe('percentiles', () => {
  test.each<[string, number[], ReturnType<typeof lagPercentiles>]>([
    ['of nothing', [], { p50: null, p99: null, max: null }],
    ['of one', [7], { p50: 7, p99: 7, max: 7 }],
    ['of a hundred, in any order', upTo(100).reverse(), { p50: 50, p99: 99, max: 100 }],
    ['round to milliseconds', [1.4, 1.6], { p50: 1, p99: 2, max: 2 }],
  ])('%s', (_name, lags, expected) => {
    expect(lagPercentiles(lags)).toEqual(expected);
  });
});
