import { ScheduleError } from '../../src/errors.ts';
import { parseScheduleExpression } from '../../src/scheduler/schedule-expression.ts';

const at = (text: string) => Date.parse(text);

/** The next `count` times after `start`, as ISO text. */
function times(expression: string, start: string, count: number, timezone = 'UTC'): string[] {
  const occurrences = parseScheduleExpression(expression, timezone, at(start), 'schedule');
  const found: string[] = [];
  let after = at(start);
  for (let i = 0; i < count; i++) {
    const next = occurrences.next(after);
    if (next === undefined) break;
    found.push(new Date(next).toISOString());
    after = next;
  }
  return found;
}

test.each([
  ['cron(* * * * ? *)', '2026-11-20T09:00:00Z', ['2026-11-20T09:01:00.000Z', '2026-11-20T09:02:00.000Z']],
  ['cron(* * * * ? *)', '2026-11-20T09:00:59.999Z', ['2026-11-20T09:01:00.000Z']],
  ['cron(5 * * * ? *)', '2026-11-20T09:05:00Z', ['2026-11-20T10:05:00.000Z', '2026-11-20T11:05:00.000Z']],
  [
    'cron(0/20 9-10 ? * * *)',
    '2026-11-20T09:10:00Z',
    ['2026-11-20T09:20:00.000Z', '2026-11-20T09:40:00.000Z', '2026-11-20T10:00:00.000Z'],
  ],
  [
    'cron(0 12 ? * MON-FRI *)',
    '2026-11-20T12:00:00Z',
    ['2026-11-23T12:00:00.000Z', '2026-11-24T12:00:00.000Z'],
  ],
  // Day-of-week 1 is Sunday on AWS.
  ['cron(0 0 ? * 1 *)', '2026-11-20T00:00:00Z', ['2026-11-22T00:00:00.000Z', '2026-11-29T00:00:00.000Z']],
  ['cron(0 0 ? * 7 *)', '2026-11-20T00:00:00Z', ['2026-11-21T00:00:00.000Z']],
  [
    'cron(30 1 1 1,JUL ? 2027-2028)',
    '2026-11-20T00:00:00Z',
    ['2027-01-01T01:30:00.000Z', '2027-07-01T01:30:00.000Z'],
  ],
  ['cron(0 0 1 1 ? 2020)', '2026-11-20T00:00:00Z', []],
  ['rate(1 minute)', '2026-11-20T09:00:17Z', ['2026-11-20T09:01:17.000Z', '2026-11-20T09:02:17.000Z']],
  ['rate(2 hours)', '2026-11-20T09:00:00Z', ['2026-11-20T11:00:00.000Z', '2026-11-20T13:00:00.000Z']],
  ['rate(1 day)', '2026-11-20T09:00:00Z', ['2026-11-21T09:00:00.000Z']],
])('%s after %s', (expression, start, expected) => {
  expect(times(expression, start, expected.length || 1)).toEqual(expected);
});

test('cron counts in the time zone of the schedule', () => {
  expect(times('cron(0 9 * * ? *)', '2026-11-20T09:00:00Z', 1, 'Europe/Berlin')).toEqual([
    '2026-11-21T08:00:00.000Z',
  ]);
});

describe('fails for', () => {
  test.each([
    ['* * * * ? *', 'expected cron(minutes hours'],
    ['at(2026-11-20T09:00:00)', 'expected cron(minutes hours'],
    ['cron(* * * * *)', 'expected six cron fields'],
    ['cron(0 * * * * ? *)', 'expected six cron fields'],
    ['cron(* * * * * *)', 'expected "?" in exactly one of day-of-month and day-of-week'],
    ['cron(* * ? * ? *)', 'expected "?" in exactly one of day-of-month and day-of-week'],
    ['cron(? * * * ? *)', 'expected the minutes field to hold 0-59'],
    ['cron(60 * * * ? *)', 'expected the minutes field to hold 0-59'],
    ['cron(0 24 * * ? *)', 'expected the hours field to hold 0-23'],
    ['cron(0 0 0 * ? *)', 'expected the day-of-month field to hold 1-31'],
    ['cron(0 0 * 13 ? *)', 'expected the month field to hold 1-12 or JAN-DEC'],
    ['cron(0 0 ? * 0 *)', 'expected the day-of-week field to hold 1-7 or SUN-SAT'],
    ['cron(0 0 * * ? 1969)', 'expected the year field to hold 1970-2199'],
    ['cron(10-5 * * * ? *)', 'but it holds "10-5"'],
    ['cron(*/0 * * * ? *)', 'but it holds "*/0"'],
    ['cron(1.5 * * * ? *)', 'but it holds "1.5"'],
    ['cron(1,,2 * * * ? *)', 'but it holds ""'],
    ['cron(0 0 L * ? *)', 'uses L, W or #'],
    ['cron(0 0 15W * ? *)', 'uses L, W or #'],
    ['cron(0 0 ? * 3#2 *)', 'uses L, W or #'],
    ['rate(0 minutes)', 'expected rate(1 minute)'],
    ['rate(1 minutes)', 'expected rate(1 minute)'],
    ['rate(5 minute)', 'expected rate(1 minute)'],
    ['rate(30 seconds)', 'expected rate(1 minute)'],
    ['rate(1.5 hours)', 'expected rate(1 minute)'],
    ['', 'expected cron(minutes hours'],
  ])('%s', (expression, expected) => {
    const parse = () => parseScheduleExpression(expression, 'UTC', 0, 'aws_scheduler_schedule.tick');
    expect(parse).toThrow(ScheduleError);
    expect(parse).toThrow(expected);
    expect(parse).toThrow(`aws_scheduler_schedule.tick.schedule_expression: `);
    expect(parse).toThrow(`got "${expression}"`);
  });

  test('a time zone that is none', () => {
    expect(() => times('cron(* * * * ? *)', '2026-11-20T09:00:00Z', 1, 'Mars/Olympus')).toThrow(
      /schedule_expression_timezone: expected an IANA time zone .*, got "Mars\/Olympus"/,
    );
  });
});
