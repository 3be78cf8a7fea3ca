import {
  type InputSettings,
  readReplayInput,
  readTickInput,
  tablesOfInput,
} from '../../../functions/plan-sweep/sweep-input.ts';
import { InvalidExecutionInputError } from '../../../functions/runtime/errors.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;
const STARTED = Date.parse('2026-11-20T09:00:05.250Z');
const SETTINGS: InputSettings = { precision: 'second', maxDeletesPerSecond: 0, marginSeconds: 0 };
const tick = (input: unknown, settings: Partial<InputSettings> = {}) =>
  readTickInput(input, STARTED, { ...SETTINGS, ...settings });
const replay = (input: unknown, settings: Partial<InputSettings> = {}) =>
  readReplayInput(input, STARTED, { ...SETTINGS, ...settings });
const NINE = { scheduledTime: '2026-11-20T09:00:00Z' };
const MINUTE = { from: seconds('2026-11-20T09:01:00Z'), before: seconds('2026-11-20T09:02:00Z') };
const SPAN = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:30:00Z' };

describe('a tick', () => {
  test.each([
    ['2026-11-20T09:00:00Z', 'second', '2026-11-20T08:59:59Z', MINUTE],
    ['2026-11-20T09:00:00.999Z', 'second', '2026-11-20T08:59:59Z', MINUTE],
    ['2026-11-20T10:00:03.2+01:00', 'second', '2026-11-20T09:00:02Z', MINUTE],
    ['2026-11-20T09:00:00Z', 'minute', '2026-11-20T09:00:00Z', null],
    // Far in the future: to the start of its execution.
    ['2026-11-20T10:00:00Z', 'second', '2026-11-20T09:00:05Z', null],
  ] as const)(
    'of %s with precision %s looks back to %s, and owns %j',
    (scheduledTime, precision, cutoff, upcoming) => {
      expect(tick({ scheduledTime }, { precision })).toEqual({
        cutoff: seconds(cutoff),
        upcoming,
        limit: null,
      });
    },
  );

  test('with a margin has all of its times as much earlier', () => {
    const [later, now] = [tick(NINE, { marginSeconds: 30, maxDeletesPerSecond: 5 }), tick(NINE)];
    expect(later.cutoff).toBe(now.cutoff - 30);
    for (const span of [later.upcoming, later.limit]) {
      expect(span).toMatchObject({ from: MINUTE.from - 30, before: MINUTE.before - 30 });
    }
  });

  test.each<[string, object, number, object | null]>([
    ['is in the minute that it owns', { maxDeletesPerSecond: 50 }, 200, { perSecond: 50, ...MINUTE }],
    ['is that of the settings', {}, 200, { perSecond: 200, ...MINUTE }],
    ['is taken away by the input', { maxDeletesPerSecond: 0 }, 200, null],
    [
      'far in the future is in the minute after the start',
      { scheduledTime: '2026-11-20T12:00:00Z' },
      7,
      { perSecond: 7, ...MINUTE },
    ],
  ])('a limit %s', (_name, input, maxDeletesPerSecond, limit) => {
    expect(tick({ ...NINE, ...input }, { maxDeletesPerSecond }).limit).toEqual(limit);
  });

  test('no two ticks delete in the same second', () => {
    const limits = [0, 1, 2, 3].map(
      late => tick({ scheduledTime: `2026-11-20T08:5${late}:00Z` }, { maxDeletesPerSecond: 9 }).limit,
    );
    for (const [index, limit] of limits.slice(1).entries()) expect(limit?.from).toBe(limits[index]?.before);
  });
});

describe('a replay', () => {
  test.each<[string, object, Partial<InputSettings>, object]>([
    [
      'sweeps its span, half-open',
      {},
      {},
      { from: seconds(SPAN.from), before: seconds(SPAN.to), dryRun: false, perSecond: 0 },
    ],
    [
      'reaches no further than its start',
      { to: '2030-01-01T00:00:00Z' },
      {},
      { before: seconds('2026-11-20T09:00:06Z') },
    ],
    [
      'and a margin less far',
      { to: '2030-01-01T00:00:00Z' },
      { marginSeconds: 30 },
      { before: seconds('2026-11-20T08:59:36Z') },
    ],
    [
      'rounds outwards to whole seconds',
      { from: '2026-11-20T08:00:00.900Z', to: '2026-11-20T08:00:01.100Z' },
      {},
      { from: seconds(SPAN.from), before: seconds(SPAN.from) + 2 },
    ],
    ['has the limit of the settings', {}, { maxDeletesPerSecond: 200 }, { perSecond: 200 }],
    ['has a limit of its own', { maxDeletesPerSecond: 7 }, { maxDeletesPerSecond: 200 }, { perSecond: 7 }],
    ['needs none to count', { dryRun: true, maxDeletesPerSecond: 7 }, {}, { dryRun: true, perSecond: 0 }],
  ])('%s', (_name, input, settings, request) =>
    expect(replay({ ...SPAN, ...input }, settings)).toMatchObject(request),
  );
});

test.each<[object, readonly string[] | undefined]>([
  [NINE, undefined],
  [{ ...NINE, tables: ['b'] }, ['b']],
  [{ ...SPAN, table: 'a' }, ['a']],
])('the tables of %j are %j', (input, tables) => expect(tablesOfInput(input, ['a', 'b'])).toEqual(tables));

test.each([
  [{ ...NINE, tables: ['a', 'c'] }, 'tables: expected of a, b, got "c"'],
  [{ ...SPAN, table: 'c' }, 'table: expected of a, b, got "c"'],
])('of %j there is no such table', (input, message) => {
  expect(() => tablesOfInput(input, ['a', 'b'])).toThrow(message);
});

const { from, to } = SPAN;
const { scheduledTime } = NINE;

test.each<[string, unknown, RegExp]>([
  ['nothing', {}, /^scheduledTime: expected either scheduledTime, or from and to, got nothing/],
  ['null', null, /^input: expected an object, got null/],
  ['a list', [scheduledTime], /^input: expected an object/],
  ['both forms', { scheduledTime, from, to }, /^scheduledTime: expected either .*, not both/],
  ['a tick and a dry run', { scheduledTime, dryRun: true }, /^scheduledTime: .*not both/],
  ['a misspelt field', { scheduledTim: from }, /^scheduledTim: .*Did you mean scheduledTime\? Start the/],
  ["the machine's own field", { scheduledTime, totals: {} }, /^totals: expected one of the fields table, /],
  ['only from', { from }, /^to: expected a time in ISO-8601 with a zone/],
  ['only to', { to }, /^from: expected a time/],
  ['from equal to to', { from, to: from }, /^from: expected a time before to/],
  ['from five years back', { from: '2021-11-20T09:00:00Z', to }, /^from: expected a time less than five/],
  ['dryRun as a text', { from, to, dryRun: 'true' }, /^dryRun: expected true or false, got "true"/],
  ['tables of a replay', { from, to, tables: ['a'] }, /^tables: expected tables together with scheduledTime/],
  ['no tables', { scheduledTime, tables: [] }, /^tables: expected a list of names/],
  ...[-1, 0.5, '50', null, 1_000_001].map((maxDeletesPerSecond): [string, unknown, RegExp] => [
    `${maxDeletesPerSecond} deletes per second`,
    { scheduledTime, maxDeletesPerSecond },
    /^maxDeletesPerSecond: expected deletes per second \(0 = no limit\): a whole number from 0 to 1000000/,
  ]),
  ...[
    '<aws.scheduler.scheduled-time>',
    1_795_165_200,
    '2026-11-20T09:00:00',
    '2026-11-20',
    '2026-02-30T09:00:00Z',
  ].map((time): [string, unknown, RegExp] => [
    `${time}, which is no time`,
    { scheduledTime: time },
    /^scheduledTime: expected a time .*with a zone/,
  ]),
])('fails for %s', (_name, input, message) => {
  const isReplay = typeof input === 'object' && input !== null && ('from' in input || 'to' in input);
  const read = () => (isReplay ? replay(input) : tick(input));
  expect(read).toThrow(InvalidExecutionInputError);
  expect(read).toThrow(message);
  expect(read).toThrow(/Nothing was swept\.$/);
});

test('the input of one machine is wrong for the other', () => {
  expect(() => tick({ from, to })).toThrow(/^scheduledTime: expected the time of a tick/);
  expect(() => replay({ scheduledTime })).toThrow(/^from: expected the span of a replay/);
});

test.each(['from', 'to', 'dryRun', 'table', 'maxDeletesPerSecond'])('no null is a default: %s', field => {
  expect(() => replay({ from, to, [field]: null })).toThrow(InvalidExecutionInputError);
});
