import { describeDuration, readDuration } from '../../cli/duration.ts';

const BOUNDS = { flag: 'for', least: 60_000, most: 86_400_000, bounds: 'from 1m to 1d' };

test.each([
  ['60s', 60_000],
  ['90m', 5_400_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
])('%s is read', (text, expected) => {
  expect(readDuration(text, BOUNDS)).toBe(expected);
});

test.each(['59s', '25h', '0h', '2', '2 h', '1.5h', '-1h', 'h', '2w', '2H'])('fails for %p', text => {
  expect(() => readDuration(text, BOUNDS)).toThrow(
    `--for: expected a whole number and s, m, h or d, such as 90m or 2h, from 1m to 1d, got "${text}"`,
  );
});

test.each([
  [0, '0 s'],
  [45_000, '45 s'],
  [61_000, '1 min 1 s'],
  [600_000, '10 min'],
  [5_400_000, '1 h 30 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms are %s', (milliseconds, expected) => {
  expect(describeDuration(milliseconds)).toBe(expected);
});
