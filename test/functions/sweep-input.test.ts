import { InvalidExecutionInputError } from '../../functions/lib/errors.ts';
import { readSweepInput } from '../../functions/lib/sweep-input.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;
const STARTED = Date.parse('2026-11-20T09:00:05.250Z');
const read = (input: unknown) => readSweepInput(input, STARTED, 10);
const FIVE_YEARS = 5 * 365 * 86_400;

describe('a tick', () => {
  test('sweeps what has expired by its scheduled time, back to the lookback', () => {
    const cutoff = seconds('2026-11-20T09:00:00Z');
    expect(read({ scheduledTime: '2026-11-20T09:00:00Z' })).toEqual({
      windowsFrom: cutoff - 600,
      from: cutoff - FIVE_YEARS + 1,
      before: cutoff + 1,
      cutoff,
      dryRun: false,
    });
  });

  test('takes its own lookback', () => {
    expect(read({ scheduledTime: '2026-11-20T09:00:00Z', lookbackMinutes: 1440 }).windowsFrom).toBe(
      seconds('2026-11-19T09:00:00Z'),
    );
  });

  test.each([
    ['with milliseconds', '2026-11-20T09:00:00.999Z', '2026-11-20T09:00:00Z'],
    ['with an offset', '2026-11-20T10:00:00+01:00', '2026-11-20T09:00:00Z'],
    [
      'of the future: nothing that is alive when the execution starts',
      '2026-11-20T10:00:00Z',
      '2026-11-20T09:00:05Z',
    ],
  ])('%s', (_name, scheduledTime, cutoff) => {
    expect(read({ scheduledTime }).cutoff).toBe(seconds(cutoff));
  });
});

describe('a replay', () => {
  test('sweeps its span, half-open', () => {
    expect(read({ from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' })).toEqual({
      windowsFrom: seconds('2026-11-20T08:00:00Z'),
      from: seconds('2026-11-20T08:00:00Z'),
      before: seconds('2026-11-20T08:30:00Z'),
      cutoff: seconds('2026-11-20T09:00:05Z'),
      dryRun: false,
    });
  });

  test('reaches no further than the start of the execution', () => {
    const { before, cutoff } = read({ from: '2026-11-20T08:00:00Z', to: '2030-01-01T00:00:00Z' });
    expect(cutoff).toBe(seconds('2026-11-20T09:00:05Z'));
    expect(before).toBe(cutoff + 1);
  });

  test('rounds outwards to whole seconds', () => {
    expect(read({ from: '2026-11-20T08:00:00.900Z', to: '2026-11-20T08:00:01.100Z' })).toMatchObject({
      from: seconds('2026-11-20T08:00:00Z'),
      before: seconds('2026-11-20T08:00:02Z'),
    });
  });

  test('can be a dry run', () => {
    expect(read({ from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z', dryRun: true }).dryRun).toBe(
      true,
    );
  });
});

const from = '2026-11-20T08:00:00Z';
const to = '2026-11-20T08:30:00Z';
const scheduledTime = '2026-11-20T09:00:00Z';

test.each<[string, unknown, RegExp]>([
  ['nothing', {}, /^scheduledTime: expected either scheduledTime, or from and to, got nothing/],
  ['null', null, /^input: expected an object, got null/],
  ['a list', [scheduledTime], /^input: expected an object/],
  ['a text', scheduledTime, /^input: expected an object/],
  [
    'both forms',
    { scheduledTime, from, to },
    /^scheduledTime: expected either scheduledTime or from and to, not both/,
  ],
  ['a tick and a dry run', { scheduledTime, dryRun: true }, /^scheduledTime: .*not both/],
  [
    'an unknown field',
    { scheduledTime, tablename: 't' },
    /^tablename: expected one of the fields scheduledTime/,
  ],
  ["the machine's own field cursor", { scheduledTime, cursor: {} }, /^cursor: expected one of the fields/],
  ["the machine's own field totals", { scheduledTime, totals: {} }, /^totals: expected one of the fields/],
  ['only from', { from }, /^to: expected a time in ISO-8601 with a zone/],
  ['only to', { to }, /^from: expected a time/],
  ['only dryRun', { dryRun: true }, /^scheduledTime: expected either/],
  ['from after to', { from: to, to: from }, /^from: expected a time before to/],
  ['from equal to to', { from, to: from }, /^from: expected a time before to/],
  [
    'from five years back',
    { from: '2021-11-20T09:00:00Z', to },
    /^from: expected a time less than five years back/,
  ],
  ['dryRun as a text', { from, to, dryRun: 'true' }, /^dryRun: expected true or false, got "true"/],
  ['a lookback of 0', { scheduledTime, lookbackMinutes: 0 }, /^lookbackMinutes: expected a whole number/],
  ['a lookback of 1.5', { scheduledTime, lookbackMinutes: 1.5 }, /^lookbackMinutes/],
  ['a lookback of 32 days', { scheduledTime, lookbackMinutes: 32 * 1440 }, /^lookbackMinutes: .*44640/],
  ['a lookback as a text', { scheduledTime, lookbackMinutes: '10' }, /^lookbackMinutes/],
  [
    'a lookback on a replay',
    { from, to, lookbackMinutes: 10 },
    /^lookbackMinutes: expected .*with scheduledTime only/,
  ],
  [
    'a placeholder that nobody replaced',
    { scheduledTime: '<aws.scheduler.scheduled-time>' },
    /^scheduledTime: expected a time/,
  ],
  ['epoch seconds', { scheduledTime: 1_795_165_200 }, /^scheduledTime: expected a time .* got 1795165200/],
  ['no zone', { scheduledTime: '2026-11-20T09:00:00' }, /with a zone/],
  ['a date only', { scheduledTime: '2026-11-20' }, /^scheduledTime/],
  ['a blank for the T', { scheduledTime: '2026-11-20 09:00:00Z' }, /^scheduledTime/],
  ['month 13', { scheduledTime: '2026-13-20T09:00:00Z' }, /^scheduledTime/],
  ['30 February', { scheduledTime: '2026-02-30T09:00:00Z' }, /^scheduledTime/],
  ['hour 25', { scheduledTime: '2026-11-20T25:00:00Z' }, /^scheduledTime/],
])('fails for %s', (_name, input, message) => {
  expect(() => read(input)).toThrow(InvalidExecutionInputError);
  expect(() => read(input)).toThrow(message);
  expect(() => read(input)).toThrow(/Nothing was swept\.$/);
});
