import { readDuration, readTime } from '../../testing/options.ts';

test.each([
  ['1ms', 1],
  ['90s', 90_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
])('%s is %d milliseconds', (duration, milliseconds) => {
  expect(readDuration(duration)).toBe(milliseconds);
});

test.each(['', '10', 'm', '0s', '-1s', '1.5h', '10 m', '10min', '1h30m', '1234567890s'])(
  'refuses %j',
  text => {
    expect(() => readDuration(text)).toThrow(
      `duration: expected a whole number above 0 and ms, s, m, h or d, e.g. '10m', got ${JSON.stringify(text)}`,
    );
  },
);

test.each([[1_000], [new Date(1_000)], ['1970-01-01T00:00:01Z'], ['1970-01-01T01:00:01+01:00']])(
  'reads the time %s',
  time => {
    expect(readTime('at', time)).toBe(1_000);
  },
);

test.each(['2026-11-20T09:00:00', '2026-11-20', 'soon', Number.NaN, 0.5, new Date('soon')])(
  'refuses the time %s',
  time => {
    expect(() => readTime('at', time)).toThrow(
      /^at: expected a Date, epoch milliseconds, or ISO-8601 with a zone/,
    );
  },
);
