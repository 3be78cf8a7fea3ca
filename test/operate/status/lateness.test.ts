import { Trends } from '../../../operate/status/lateness.ts';

/** The trend of some looks, each with its time in seconds and its count. */
function trendOf(...looks: readonly (readonly [number, number])[]) {
  const trends = new Trends();
  for (const [at, overdue] of looks) trends.add({ overdue, unseen: null }, at * 1000);
  return trends.trend;
}

test.each<[string, readonly (readonly [number, number])[], number | undefined, number | null]>([
  ['one look says nothing', [[0, 900]], undefined, null],
  [
    'nor do two at once',
    [
      [0, 900],
      [1, 800],
    ],
    undefined,
    null,
  ],
  [
    'a backlog is gone when its rate goes on',
    [
      [0, 1_000],
      [10, 800],
    ],
    20,
    50,
  ],
  [
    'the last half a minute counts',
    [
      [0, 9_000],
      [40, 1_000],
      [50, 800],
    ],
    20,
    90,
  ],
  [
    'a small one, too',
    [
      [0, 10],
      [5, 4],
    ],
    1.2,
    8.333,
  ],
  [
    'what grows is never gone',
    [
      [0, 800],
      [10, 900],
    ],
    -10,
    null,
  ],
  [
    'what stays is not either',
    [
      [0, 800],
      [10, 800],
    ],
    0,
    null,
  ],
  [
    'what changes by less than a second does, is foreseen by nobody',
    [
      [0, 609],
      [30, 606],
    ],
    0.1,
    null,
  ],
  [
    'nor is what takes longer than a day',
    [
      [0, 1_000_000],
      [20, 999_800],
    ],
    10,
    null,
  ],
])('%s', (_name, looks, fewerPerSecond, caughtUpAt) => {
  const trend = trendOf(...looks);
  expect(trend?.fewerPerSecond).toBe(fewerPerSecond);
  if (caughtUpAt === null) expect(trend?.caughtUpAt ?? null).toBeNull();
  else expect((trend?.caughtUpAt ?? 0) / 1000).toBeCloseTo(caughtUpAt, 2);
});

test('a look that has not counted all is none', () => {
  const trends = new Trends();
  trends.add({ overdue: 1_000, unseen: null }, 0);
  trends.add({ overdue: 10, unseen: { id: 'indexSlow', text: '' } }, 10_000);
  expect(trends.trend).toBeUndefined();
});
