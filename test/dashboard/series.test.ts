import { SHOWN_MINUTES, SweepSeries } from '../../dashboard/series.ts';
import { sweepEnded } from '../support/status-reports.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (minutes: number, seconds = 0) => new Date(NOW - minutes * 60_000 - seconds * 1000).toISOString();

test('adds up what the sweeps of a minute came to; one that ends a moment after it belongs to it', () => {
  const series = new SweepSeries();
  const lagMs = { p50: 100, p99: 900, max: 1_000 };
  series.add(
    [
      sweepEnded(ago(10, 1), {
        name: 'a',
        outcome: { found: 10, deleted: 6, renewed: 2, notFound: 1, failed: 1, lagMs },
      }),
      sweepEnded(ago(10, -2), { name: 'b', kind: 'replay', outcome: { found: 5, deleted: 5 } }),
      sweepEnded(ago(9, 0), { name: 'c', outcome: { found: 1, deleted: 1 } }),
    ],
    NOW,
  );
  expect(series.minutes).toEqual([
    { at: ago(11), due: 15, deleted: 11, kept: 2, notFound: 1, left: 1 },
    { at: ago(10), due: 1, deleted: 1, kept: 0, notFound: 0, left: 0 },
  ]);
  expect(series.lags).toEqual([{ at: ago(10, 1), kind: 'tick', ...lagMs }]);
  expect(series.newest(2).map(({ name }) => name)).toEqual(['c', 'b']);
});

test('has each sweep once, however often it is told of', () => {
  const series = new SweepSeries();
  const sweep = sweepEnded(ago(1), { outcome: { found: 2 } });
  for (let times = 0; times < 3; times += 1) series.add([sweep], NOW);
  expect(series.minutes.map(({ due }) => due)).toEqual([2]);
});

test('forgets what is older than it shows, and keeps no more than 2,000 sweeps', () => {
  const series = new SweepSeries();
  series.add([sweepEnded(ago(SHOWN_MINUTES - 1)), sweepEnded(ago(SHOWN_MINUTES + 1))], NOW);
  expect(series.newest(10)).toHaveLength(1);
  series.add([], NOW + 3 * 60_000);
  expect(series.newest(10)).toEqual([]);
  series.add(
    Array.from({ length: 3_000 }, (_unused, index) => sweepEnded(ago(0, index), { name: `s${index}` })),
    NOW,
  );
  expect(series.newest(10_000)).toHaveLength(2_000);
  expect(series.newest(1)[0]?.name).toBe('s0');
});
