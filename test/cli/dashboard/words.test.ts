import { lastKnown, NOTHING_KNOWN } from '../../../cli/dashboard/data.ts';
import { lagScale, timeSpan, timeTicks, upFromZero } from '../../../cli/dashboard/page/scales.ts';
import {
  backlogWords,
  clock,
  duration,
  goneSentence,
  headline,
  troubleLines,
} from '../../../cli/dashboard/page/words.ts';
import type { TableData } from '../../../cli/dashboard/report.ts';
import type { Facts } from '../../../cli/facts.ts';
import { factsOf } from '../../support/looks.ts';

const NOW = '2026-11-20T12:01:00.000Z';

const dataOf = (
  differing: Partial<Facts> = {},
  { verdict = 'fine', at = NOW }: { verdict?: TableData['verdict']; at?: string } = {},
): TableData => ({
  ...{ tableName: 'Sessions', verdict, remarks: [], lateAfterSeconds: 11, lastMinute: null },
  ...lastKnown(NOTHING_KNOWN, factsOf('Sessions', differing), at),
});

const overdue = (differing: Partial<NonNullable<Facts['overdue']>>) =>
  dataOf({ overdue: { ...(factsOf('').overdue as NonNullable<Facts['overdue']>), ...differing } });

test.each([
  [0.351, '0.35 s'],
  [9, '9 s'],
  [59.6, '60 s'],
  [299, '299 s'],
  [600, '10 min'],
  [7_200, '2 h'],
  [172_800, '2 d'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('a time has its date where that is not of today, but for an hour around midnight', () => {
  expect(clock('2026-11-20T09:08:07.999Z', NOW)).toBe('09:08:07');
  expect(clock('2026-11-19T09:08:07Z', NOW)).toBe('2026-11-19 09:08:07');
  expect(clock('2026-11-19T23:59:58Z', '2026-11-20T00:01:00Z')).toBe('23:59:58');
  expect(clock('2026-11-19T22:00:13Z', '2026-11-20T06:08:31Z')).toBe('2026-11-19 22:00:13');
});

test('says what is gone, for one table and for several', () => {
  expect(headline([dataOf()], NOW)).toBe(
    'Everything that was due by 12:00:00 is gone, back to 2026-11-19 12:00:00.',
  );
  const left = { ...(factsOf('').left as NonNullable<Facts['left']>), unseen: 1 };
  expect(goneSentence(dataOf({ left }), NOW)).toBe(
    'Everything that was due by 12:00:00 is gone, all but 1 item that the index did not show, back to 2026-11-19 12:00:00.',
  );
  expect(headline([dataOf(), dataOf()], NOW)).toBe(
    'Everything that was due by 12:00:00 is gone, in all 2 tables.',
  );
  expect(headline([dataOf(), dataOf({}, { verdict: 'broken' })], NOW)).toBe(
    'Of 2 tables 1 swept badly or not at all, 1 fine.',
  );
  expect(goneSentence({ gone: null }, NOW)).toBe('It is not known what is gone.');
});

test.each([
  [overdue({}), '0', 'nothing is overdue'],
  [overdue({ short: 'DynamoDB throttles' }), '–', 'DynamoDB throttles'],
  [{ overdue: null }, '–', 'not known'],
  [
    overdue({ items: 1_200, short: 'DynamoDB throttles', oldest: Date.parse(NOW) / 1_000 - 60 }),
    '≥ 1,200',
    'the oldest for 60 s',
  ],
  [overdue({ items: 2, oldest: Date.parse(NOW) / 1_000 }), '2', 'the oldest for 0 s'],
])('a backlog in words, %#', (data, value, note) => {
  expect(backlogWords(data, NOW)).toEqual({ value, note });
});

test('says who does not answer, how long already, and how old the values are', () => {
  const none = { answeredAt: null, askedAt: null, failure: null };
  const told = (source: object) =>
    troubleLines({ source: { ...none, ...source }, tables: [], statusAt: null }, NOW, undefined);
  expect(told({ askedAt: '2026-11-20T12:00:56.000Z', answeredAt: '2026-11-20T12:00:40.000Z' })).toEqual([
    'Asked 4 s ago, no answer yet. What is shown is as of 12:00:40, 20 s ago.',
  ]);
  expect(told({ askedAt: '2026-11-20T12:00:59.000Z' })).toEqual([]);
  expect(told({ failure: 'no answer within 30 s' })).toEqual([
    'no answer within 30 s. There is nothing to show yet.',
  ]);
  const old = dataOf({}, { at: '2026-11-20T11:00:00.000Z' });
  expect(troubleLines({ source: none, tables: [old], statusAt: NOW }, NOW, undefined)).toEqual([
    'Sessions: the last look did not learn everything. Shown are the journal as of 11:00:00, what is gone as of 11:00:00, what is overdue as of 11:00:00, alarms as of 11:00:00.',
  ]);
  expect(troubleLines({ source: none, tables: [dataOf()], statusAt: NOW }, NOW, undefined)).toEqual([]);
  expect(troubleLines({ source: none, tables: [old], statusAt: NOW }, NOW, NOW)).toEqual([
    expect.stringMatching(/^No data since 12:01:00: the command that serves this page has ended/),
  ]);
});

test('an axis of lags goes from a named time below all to one above all', () => {
  const { at, ticks } = lagScale([0.35, 22, 400], 100, 0);
  expect(ticks).toEqual([0.1, 1, 10, 60, 600]);
  expect([at(0.1), at(0.001), at(600)]).toEqual([100, 100, 0]);
  expect(at(1)).toBeGreaterThan(at(10));
});

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [840, [0, 500, 1_000]],
])('an axis up to %d has the lines %j', (most, ticks) => {
  expect(upFromZero(most, 100, 0).ticks).toEqual(ticks);
});

test('a plot is as wide as it needs to be, and names times that have room', () => {
  const now = Date.parse(NOW);
  const minutes = ([from, to]: readonly [number, number]) => (to - from) / 60_000;
  expect(
    [undefined, now - 20 * 60_000, now - 10 * 3_600_000].map(oldest => minutes(timeSpan(oldest, now))),
  ).toEqual([15, 30, 180]);
  const ticks = timeTicks(timeSpan(undefined, now), 4).map(time =>
    new Date(time).toISOString().slice(11, 16),
  );
  expect(ticks).toEqual(['11:50', '11:55', '12:00']);
});
