import { readTimeSpan } from '../../cli/time-span.ts';

test.each([
  ['30s', 30_000],
  ['90m', 5_400_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
])('%s is %d milliseconds', (text, expected) => {
  expect(readTimeSpan('--since', text, '90d')).toBe(expected);
});

test.each(['', '0d', '7', '7 d', '-1h', '1.5h', '7w', '91d', '7D', '9999999999d'])('fails for %j', text => {
  expect(() => readTimeSpan('--since', text, '90d')).toThrow(
    `--since: expected a time span such as 30m, 2h or 7d, at most 90d, got "${text}"`,
  );
});
