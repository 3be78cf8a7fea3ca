import { childLimits } from '../../../functions/plan-sweep/child-limits.ts';
import { limitedTargets } from '../../../functions/plan-sweep/limited-targets.ts';
import { joinedWindows, shardsOf } from '../../../functions/table/target-windows.ts';
import type { SweepTarget, TargetWindow } from '../../../statemachine/contract/targets.ts';

/** Of windows that are called by a letter, with a digit and a shard where there are more of them: `w1#2`. */
const windowsOf = (...names: readonly string[]): TargetWindow[] =>
  joinedWindows(
    names.map(name => {
      const [window = '', shard = '0'] = name.split('#');
      return { start: Number.parseInt(window, 36), shards: shard };
    }),
  );
const namesOf = ({ windows }: SweepTarget) =>
  windows.flatMap(({ start, shards }) =>
    shardsOf(shards).map(shard => `${start.toString(36)}${shard === 0 ? '' : `#${shard}`}`),
  );

const target = (name: string, upcomingFrom: number | null = null): SweepTarget => ({
  windows: windowsOf(name),
  from: upcomingFrom === null ? 1 : 60,
  before: upcomingFrom === null ? 100 : 160,
  upcomingFrom,
});
const limit = (perSecond: number) => ({ perSecond, from: null, before: 160 });
const BACK = ['a', 'b', 'c', 'd', 'e'].map(name => target(name));

test.each([
  [50, 20, [['a', 'b', 'c', 'd', 'e']]],
  [
    501,
    20,
    [
      ['a', 'c', 'e'],
      ['b', 'd'],
    ],
  ],
  [100_000, 20, [['a'], ['b'], ['c'], ['d'], ['e']]],
  [
    100_000,
    2,
    [
      ['a', 'c', 'e'],
      ['b', 'd'],
    ],
  ],
  [100_000, 0, [['a'], ['b'], ['c'], ['d'], ['e']]],
])('a limit of %i with room for %i children at once', (perSecond, concurrency, windows) => {
  const children = limitedTargets(BACK, limit(perSecond), concurrency);
  expect(children.map(child => namesOf(child.target))).toEqual(windows);
  const parts = childLimits(limit(perSecond), children, concurrency);
  expect(parts.reduce((sum, part) => sum + part.perSecond, 0)).toBeCloseTo(perSecond);
  // Each window counts alike.
  for (const [index, part] of parts.entries()) {
    expect(part.perSecond).toBeCloseTo((perSecond * (windows[index]?.length ?? 0)) / 5);
    expect(part.before).toBe(160);
  }
});

test('the children of an upcoming minute take what lies back in their shards, each window once', () => {
  const upcoming = [
    { ...target('w1', 100), windows: windowsOf('w1', 'w2') },
    { ...target('w1#1', 100), windows: windowsOf('w1#1', 'w2#1') },
  ];
  const children = limitedTargets([...upcoming, target('w0#1'), target('w1'), target('w1#1')], limit(10), 22);
  expect(children.map(child => child.target)).toEqual([
    { windows: windowsOf('w1', 'w2'), from: 1, before: 160, upcomingFrom: 100 },
    { windows: windowsOf('w0#1', 'w1#1', 'w2#1'), from: 1, before: 160, upcomingFrom: 100 },
  ]);
  expect(childLimits(limit(10), children, 22).map(({ perSecond }) => perSecond)).toEqual([5, 5]);
});

test('children of several shards take what lies back in each of them, and all together what lies in shards without one', () => {
  const upcoming = [
    { ...target('w1', 100), windows: windowsOf('w1', 'w1#2') },
    { ...target('w1#1', 100), windows: windowsOf('w1#1', 'w1#3') },
  ];
  const back = [target('w0#2'), target('w0#3'), target('w0#4'), target('w0#5')];
  const children = limitedTargets([...upcoming, ...back], limit(10), 22);
  expect(children.map(child => namesOf(child.target))).toEqual([
    ['w0#2', 'w0#4', 'w1', 'w1#2'],
    ['w0#3', 'w0#5', 'w1#1', 'w1#3'],
  ]);
});

test('children that have less than one delete a second do not all begin with one', () => {
  const children = limitedTargets(
    Array.from({ length: 100 }, (_unused, shard) => target(`u${shard}`, 100)),
    limit(50),
    120,
  );
  const first = childLimits(limit(50), children, 120).map(({ credit }) => credit);
  for (let second = 0; second < 10; second += 1) {
    const before = first.reduce((sum, credit) => sum + Math.floor(credit + second * 0.5), 0);
    const after = first.reduce((sum, credit) => sum + Math.floor(credit + (second + 1) * 0.5), 0);
    expect(after - before).toBe(50);
  }
});

test('more children than run at once share what these may delete', () => {
  const parts = childLimits(
    limit(10),
    limitedTargets([target('p', 100), target('q', 100), target('r', 100), target('s', 100)], limit(10), 2),
    2,
  );
  expect(parts.map(({ perSecond }) => perSecond)).toEqual([5, 5, 5, 5]);
});
