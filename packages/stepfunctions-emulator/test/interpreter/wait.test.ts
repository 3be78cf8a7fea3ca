import { VirtualClock } from '../../src/clock.ts';
import { parseTimestamp } from '../../src/interpreter/field-checks.ts';
import { machineOf, run } from './run-definition.ts';

const START = Date.parse('2026-07-19T21:27:00.000Z');
const waitedMs = async (wait: object, input: unknown = {}, start = START) => {
  const clock = new VirtualClock(start);
  const execution = await run(machineOf({ W: { Type: 'Wait', End: true, ...wait } }), { input, clock });
  return execution.status === 'SUCCEEDED' ? (execution.stopDate ?? 0) - start : execution.cause;
};

test.each([
  ['Seconds', { Seconds: 90 }, 90_000],
  ['no seconds', { Seconds: 0 }, 0],
  ['seconds from an expression', { Seconds: '{% $states.input.n * 2 %}' }, 14_000],
  ['a time', { Timestamp: '2026-07-19T21:28:00Z' }, 60_000],
  ['a time in another zone', { Timestamp: '2026-07-19T23:27:30+02:00' }, 30_000],
  ['a time in the past', { Timestamp: '2020-01-01T00:00:00Z' }, 0],
  ['a time from an expression', { Timestamp: '{% $fromMillis($millis() + 12000) %}' }, 12_000],
])('waits for %s', async (_name, wait, expected) => {
  expect(await waitedMs(wait, { n: 7 })).toBe(expected);
});

// As AWS does: https://docs.aws.amazon.com/step-functions/latest/dg/state-wait.html
describe('the milliseconds of a Timestamp are dropped', () => {
  test.each([
    ['a whole second', 0, '2026-07-19T21:27:05Z', 5000],
    ['its last millisecond', 0, '2026-07-19T21:27:05.999Z', 5000],
    ['from within a second to the next', 400, '2026-07-19T21:27:01.000Z', 600],
    ['from within a second to later in the same: not at all', 400, '2026-07-19T21:27:00.900Z', 0],
    ['in the past, though not by its milliseconds', 1, '2026-07-19T21:27:00.999Z', 0],
  ])('%s', async (_case, startedAfterMs, Timestamp, expected) => {
    expect(await waitedMs({ Timestamp }, {}, START + startedAfterMs)).toBe(expected);
  });
});

test.each([
  ['negative seconds', { Seconds: '{% -1 %}' }, /an integer from 0 to 99999999, but was: -1/],
  ['half a second', { Seconds: '{% 0.5 %}' }, /but was: 0.5/],
  ['seconds in words', { Seconds: "{% 'one' %}" }, /Expected 'number', but was 'string' for value: "one"/],
  ['a number as a time', { Timestamp: '{% 1 %}' }, /Expected 'string', but was 'number'/],
])('fails on %s', async (_name, wait, words) => {
  expect(await waitedMs(wait)).toMatch(words);
});

describe('parseTimestamp', () => {
  test.each([
    ['2016-03-14T01:59:00Z', Date.UTC(2016, 2, 14, 1, 59)],
    ['2016-03-14T01:59Z', Date.UTC(2016, 2, 14, 1, 59)],
    ['2016-03-14t01:59:00z', Date.UTC(2016, 2, 14, 1, 59)],
    ['2016-03-05T21:29:29.243167252Z', Date.UTC(2016, 2, 5, 21, 29, 29) + 243],
    ['2024-02-29T00:00:00-18:00', Date.UTC(2024, 1, 29, 18)],
  ])('reads %s', (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  test.each([
    '2016-13-05T21:29:29Z',
    '2016-12-05T24:00:00Z',
    '2016-12-05T21:60:29Z',
    '2016-12-05T21:29:60Z',
    '2023-02-29T00:00:00Z',
    '2016-12-05T21:29:29+01:60',
    '2016-12-05T21:29:29+18:01',
    '2016-12-05T21:29:29.1234567890Z',
    ' 2016-12-05T21:29:29Z',
  ])('does not read %s', text => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
