import fc from 'fast-check';
import { checkSpan, readSweepInput } from '../../../functions/plan-sweep/sweep-input.ts';
import { InvalidExecutionInputError } from '../../../functions/runtime/errors.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;
const STARTED = Date.parse('2026-11-20T09:00:05.250Z');
const PLAIN = { lookbackMinutes: 10, precisionSeconds: 60, maxDeletesPerSecond: 0 };
const read = (input: unknown, settings = PLAIN) => readSweepInput(input, STARTED, settings);
const FIVE_YEARS = 5 * 365 * 86_400;

describe('a tick', () => {
  test('sweeps what has expired by its scheduled time, back to the lookback', () => {
    const cutoff = seconds('2026-11-20T09:00:00Z');
    expect(read({ scheduledTime: '2026-11-20T09:00:00Z' })).toEqual({
      windowsFrom: cutoff - 600,
      windowsBefore: cutoff + 1,
      from: cutoff - FIVE_YEARS + 600 + 1,
      before: cutoff + 1,
      cutoff,
      upcoming: null,
      dryRun: false,
      followsBacklog: true,
      limit: null,
    });
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

describe('a tick of a sweep that is precise', () => {
  const precise = { lookbackMinutes: 10, precisionSeconds: 1, maxDeletesPerSecond: 0 };
  const span = { from: seconds('2026-11-20T09:01:00Z'), before: seconds('2026-11-20T09:02:00Z') };

  test('owns the minute after its own', () => {
    expect(read({ scheduledTime: '2026-11-20T09:00:00Z' }, precise).upcoming).toEqual(span);
  });

  test('owns the same span when its time is not quite the minute', () => {
    expect(read({ scheduledTime: '2026-11-20T09:00:05.2Z' }, precise).upcoming).toEqual(span);
  });

  test('looks back to the second before its own, which belongs to the tick before', () => {
    const { cutoff, before } = read({ scheduledTime: '2026-11-20T09:00:00Z' }, precise);
    expect(cutoff).toBe(seconds('2026-11-20T08:59:59Z'));
    expect(before).toBe(cutoff + 1);
  });

  test.each([
    [
      'a tick whose time is far in the future: its children would wait in vain',
      { scheduledTime: '2026-11-20T09:10:00Z' },
    ],
    ['a replay', { from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' }],
  ])('%s owns none', (_name, input) => expect(read(input, precise).upcoming).toBeNull());

  test('the plain mode owns none', () => {
    expect(read({ scheduledTime: '2026-11-20T09:00:00Z' }).upcoming).toBeNull();
  });
});

describe('a limit', () => {
  const TICK = { scheduledTime: '2026-11-20T09:00:00Z' };
  const REPLAY = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' };
  const minute = { from: seconds('2026-11-20T09:01:00Z'), before: seconds('2026-11-20T09:02:00Z') };
  const limited = { ...PLAIN, maxDeletesPerSecond: 200 };

  test.each([
    [
      'a tick deletes in the minute that it owns',
      { ...TICK, maxDeletesPerSecond: 50 },
      { perSecond: 50, ...minute },
    ],
    ['the settings give it where the input does not', TICK, { perSecond: 200, ...minute }],
    ['the input takes it away', { ...TICK, maxDeletesPerSecond: 0 }, null],
    [
      'a tick whose time is far in the future deletes in the minute after its start',
      { scheduledTime: '2026-11-20T12:00:00Z' },
      { perSecond: 200, ...minute },
    ],
    ['a replay has all the time it takes', REPLAY, { perSecond: 200, from: null, before: null }],
    [
      'a replay with a limit of its own',
      { ...REPLAY, maxDeletesPerSecond: 7 },
      { perSecond: 7, from: null, before: null },
    ],
    ['a dry run deletes nothing', { ...REPLAY, dryRun: true, maxDeletesPerSecond: 7 }, null],
  ])('%s', (_name, input, limit) => expect(read(input, limited).limit).toEqual(limit));

  test('no two ticks delete in the same second', () => {
    const limits = [0, 1, 2, 3].map(
      late => read({ scheduledTime: `2026-11-20T08:5${late}:00Z` }, limited).limit,
    );
    for (const [index, limit] of limits.slice(1).entries()) expect(limit?.from).toBe(limits[index]?.before);
  });

  test.each([-1, 0.5, '50', null, 1_000_001])('refuses %p', maxDeletesPerSecond => {
    for (const input of [TICK, REPLAY]) {
      expect(() => read({ ...input, maxDeletesPerSecond })).toThrow(
        /maxDeletesPerSecond: expected deletes per second \(0 = no limit\): a whole number from 0 to 1000000/,
      );
    }
  });
});

describe('a replay', () => {
  test('sweeps its span, half-open', () => {
    expect(read({ from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' })).toEqual({
      windowsFrom: seconds('2026-11-20T08:00:00Z'),
      windowsBefore: seconds('2026-11-20T08:30:00Z'),
      from: seconds('2026-11-20T08:00:00Z'),
      before: seconds('2026-11-20T08:30:00Z'),
      cutoff: seconds('2026-11-20T09:00:05Z'),
      upcoming: null,
      dryRun: false,
      followsBacklog: false,
      limit: null,
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
    /^tablename: expected one of the fields table, tables, /,
  ],
  ['a misspelt field', { scheduledTim: from }, /^scheduledTim: .*Did you mean scheduledTime\? Start the/],
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
  [
    'dryRun null, which is not false',
    { from, to, dryRun: null },
    /^dryRun: expected true or false, got null/,
  ],
  [
    'a lookback of its own',
    { scheduledTime, lookbackMinutes: 10 },
    /^lookbackMinutes: expected one of the fields/,
  ],
  ['a tick of now on a replay', { from, to, fromNow: true }, /^fromNow: expected .*with scheduledTime only/],
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

test('a null is never taken for a default, wherever it stands', () => {
  const good = fc.oneof(
    fc.record(
      { scheduledTime: fc.constant(scheduledTime), fromNow: fc.boolean() },
      { requiredKeys: ['scheduledTime'] },
    ),
    fc.record(
      { from: fc.constant(from), to: fc.constant(to), dryRun: fc.boolean() },
      { requiredKeys: ['from', 'to'] },
    ),
  );
  const fields = fc.constantFrom('scheduledTime', 'fromNow', 'from', 'to', 'dryRun');
  fc.assert(
    fc.property(good, fields, (input, field) => {
      expect(() => read(input)).not.toThrow();
      expect(() => read({ ...input, [field]: null })).toThrow(InvalidExecutionInputError);
    }),
  );
});

describe('a span is refused when it has more windows than one execution gets through', () => {
  const span = (hours: number) => ({
    ...read({ from: '2026-08-20T08:00:00Z', to: '2026-08-20T09:00:00Z' }),
    windowsFrom: 0,
    windowsBefore: hours * 3600,
  });
  const windows = (minutes: number, shards: number) => ({ windowSeconds: minutes * 60, shards });

  test.each([
    [1000, windows(1, 1)],
    [10, windows(1, 100)],
    [1, windows(1, 1000)],
    [31 * 24, windows(1440, 1000)],
    [5 * 365 * 24, windows(60, 1)],
  ])('%d hours of %p are fine', (hours, model) => expect(() => checkSpan(span(hours), model)).not.toThrow());

  test.each([
    [1001, windows(1, 1), /^to: expected a span of at most 60000 windows and shards, here 1000 hours/],
    [2, windows(1, 1000), /here 1 hours/],
    [11, windows(1, 100), /here 10 hours: sweep a longer one in parts/],
  ])('%d hours of %p are not', (hours, model, message) => {
    expect(() => checkSpan(span(hours), model)).toThrow(InvalidExecutionInputError);
    expect(() => checkSpan(span(hours), model)).toThrow(message);
  });
});
