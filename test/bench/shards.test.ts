import { KEY_UNITS, shareOf } from '../../bench/shards/share.ts';

test.each([2, 8, 26])('at 650 items a second for each of %d shards no key takes more than it can', shards => {
  const { fullest, throttled } = shareOf({ peak: 650 * shards, shards, seconds: 2 });
  expect(fullest).toBeGreaterThan(650);
  expect(fullest).toBeLessThan(KEY_UNITS * 0.85);
  expect(throttled).toBe(0);
});

test('what comes beyond the units of a key is throttled', () => {
  expect(shareOf({ peak: 1_250, shards: 1, seconds: 2 })).toEqual({ fullest: 1_250, throttled: 0.2 });
});
