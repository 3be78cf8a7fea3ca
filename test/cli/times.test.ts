import { describeDuration, readDuration } from '../../cli/times.ts';

const PAUSE = { flag: '--for', least: '1m', most: '1d' } as const;
const HISTORY = { flag: '--since', least: '1s', most: '90d' } as const;
type Bounds = typeof PAUSE | typeof HISTORY;

test.each<[string, Bounds, number]>([
  ['60s', PAUSE, 60_000],
  ['90m', PAUSE, 5_400_000],
  ['2h', PAUSE, 7_200_000],
  ['1d', PAUSE, 86_400_000],
  ['1s', HISTORY, 1000],
  ['007d', HISTORY, 604_800_000],
  ['90d', HISTORY, 7_776_000_000],
])('%s is read for %j', (text, { flag, ...bounds }, expected) => {
  expect(readDuration(flag, text, bounds)).toBe(expected);
});

test.each([
  ...['59s', '25h', '0h', '2', '2 h', '1.5h', '-1h', 'h', '2w', '2H'].map(text => [text, PAUSE] as const),
  ...['', '0d', '7', '7 d', '91d', '7D', '9999999999d', '9999999999s'].map(text => [text, HISTORY] as const),
])('fails for %p with %j', (text, { flag, ...bounds }) => {
  expect(() => readDuration(flag, text, bounds)).toThrow(
    `${flag}: expected a whole number and s, m, h or d, such as 90m or 2h, from ${bounds.least} to ${bounds.most}, got "${text}"`,
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
