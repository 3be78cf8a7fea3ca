import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DashboardOptions,
  dashboardData,
  SHOWN_MINUTES,
  SweepSeries,
} from '../../../cli/dashboard/data.ts';
import { Source } from '../../../cli/dashboard/source.ts';
import { configOf } from '../../support/configs.ts';
import { factsOf, lookedAt, lookOf, sweepEnded, unknownFacts } from '../../support/looks.ts';

const START = Date.parse('2026-11-20T12:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();
const SESSIONS = { tableName: 'Sessions', partitionKey: 'id' };
const stop = new AbortController();
afterAll(() => stop.abort());

/** Everything that is promised by now has happened. */
const settled = () => new Promise(resolve => setImmediate(resolve));

function gather(look: DashboardOptions['look'], options: Partial<DashboardOptions> = {}) {
  const clock = { ms: START };
  const asked: number[] = [];
  const data = dashboardData({
    config: configOf(SESSIONS),
    signal: stop.signal,
    now: () => clock.ms,
    look(most, signal) {
      asked.push(most);
      return look(most, signal);
    },
    ...options,
  });
  /** The report after somebody has looked, and the answers have come. */
  const see = async (afterMs = 0) => {
    clock.ms += afterMs;
    data.report();
    await settled();
    return data.report();
  };
  return { data, see, asked, clock };
}
const fine: DashboardOptions['look'] = async () => lookOf(iso(START), lookedAt(factsOf('Sessions')));

test('asks nobody before somebody looks, and answers at once with what it knows', async () => {
  const { data, asked } = gather(fine);
  await settled();
  expect(asked).toEqual([]);
  expect(data.report()).toMatchObject({
    ...{ verdict: null, statusAt: null, isLocal: null },
    tables: [{ tableName: 'Sessions', lateAfterSeconds: 11, journal: null, overdue: null, lastMinute: null }],
  });
  await settled();
  expect(data.report()).toMatchObject({
    ...{ verdict: 'fine', statusAt: iso(START), isLocal: false },
    tables: [{ journal: { at: iso(START), value: { watermark: '2026-11-20T11:59:58.000Z' } } }],
  });
});

test('looks every 10 seconds at the most; the first look and each 60th read the sweeps of hours', async () => {
  const { see, asked } = gather(fine);
  for (let second = 0; second <= 600; second += 2) await see(2_000);
  expect(asked).toHaveLength(61);
  expect(asked.flatMap((most, index) => (most === 400 ? [index] : []))).toEqual([0, 60]);
});

test('a look that hangs is not doubled, and is told with its time', async () => {
  const { see, asked } = gather(() => new Promise<never>(() => {}));
  await see();
  const { source, verdict } = await see(25_000);
  expect([asked.length, verdict]).toEqual([1, null]);
  expect(source).toEqual({ askedAt: iso(START), answeredAt: null, failure: null });
});

test('a look that fails is told with its error, and the last answer stays', async () => {
  let fails = false;
  const { see } = gather(async (most, signal) => {
    if (fails) throw new Error('no credentials');
    return fine(most, signal);
  });
  await see();
  fails = true;
  const report = await see(15_000);
  expect(report.source).toEqual({ askedAt: null, answeredAt: iso(START), failure: 'no credentials' });
  expect(report).toMatchObject({ verdict: 'fine', statusAt: iso(START) });
  fails = false;
  expect((await see(15_000)).source.failure).toBeNull();
});

test('keeps the values that a later look does not know, with the time at which they were known', async () => {
  let looked = lookedAt(factsOf('Sessions', { alarms: [{ name: 'late', since: null }] }));
  const { see, clock } = gather(async () => lookOf(iso(clock.ms), looked));
  await see();
  looked = lookedAt(unknownFacts('Sessions'), { verdict: 'unknown' });
  const { statusAt, tables, verdict } = await see(15_000);
  expect([statusAt, verdict]).toEqual([iso(START + 15_000), 'unknown']);
  expect(tables[0]).toMatchObject({
    journal: { at: iso(START), value: { watermark: '2026-11-20T11:59:58.000Z' } },
    overdue: { at: iso(START), value: { items: 0 } },
    gone: { at: iso(START) },
    alarms: { at: iso(START), value: [{ name: 'late' }] },
    schedule: { at: iso(START), value: true },
  });
  looked = lookedAt(factsOf('Sessions', { pause: { since: iso(START) } }));
  expect((await see(15_000)).tables[0]?.journal).toMatchObject({
    at: iso(START + 30_000),
    value: { pause: { since: iso(START) } },
  });
});

test('shows the minutes of the table that is asked for, and of the first one without a name that it has', async () => {
  const names = ['Sessions', 'Tokens'];
  const tables = names.map(name =>
    lookedAt(factsOf(name, { sweeps: [sweepEnded(iso(START), { counts: { found: name.length } })] })),
  );
  const config = configOf(...names.map(tableName => ({ tableName, partitionKey: 'id' })));
  const { data, see } = gather(async () => lookOf(iso(START), ...tables), { config });
  await see();
  expect(data.report('Tokens').shown).toMatchObject({ tableName: 'Tokens', minutes: [{ due: 6 }] });
  expect(data.report('<script>').shown).toMatchObject({ tableName: 'Sessions', minutes: [{ due: 8 }] });
  expect(data.report().tables.map(table => table.lastMinute?.due)).toEqual([8, 6]);
});

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (minutes: number, seconds = 0) => new Date(NOW - minutes * 60_000 - seconds * 1000).toISOString();

test('adds up what the sweeps of a minute came to; one that ends a moment after it belongs to it', () => {
  const series = new SweepSeries();
  const lagMs = { p50: 100, p99: 900, max: 1_000 };
  series.add(
    [
      sweepEnded(ago(10, 1), {
        execution: 'a',
        counts: { found: 10, deleted: 6, renewed: 2, notFound: 1, failed: 1 },
        lagMs,
      }),
      sweepEnded(ago(10, -2), { execution: 'b', kind: 'replay', counts: { found: 5, deleted: 5 } }),
      sweepEnded(ago(9, 0), { execution: 'c', counts: { found: 1, deleted: 1 } }),
    ],
    NOW,
  );
  expect(series.minutes).toEqual([
    { at: ago(11), due: 15, deleted: 11, kept: 2, notFound: 1, left: 1 },
    { at: ago(10), due: 1, deleted: 1, kept: 0, notFound: 0, left: 0 },
  ]);
  expect(series.lags).toEqual([{ at: ago(10, 1), kind: 'tick', ...lagMs }]);
  expect(series.newest(2).map(({ execution }) => execution)).toEqual(['c', 'b']);
});

test('has each sweep once, however often it is told of', () => {
  const series = new SweepSeries();
  const sweep = sweepEnded(ago(1), { counts: { found: 2 } });
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
    Array.from({ length: 3_000 }, (_unused, index) => sweepEnded(ago(0, index), { execution: `s${index}` })),
    NOW,
  );
  expect(series.newest(10_000)).toHaveLength(2_000);
  expect(series.newest(1)[0]?.execution).toBe('s0');
});

const never = () => new Promise<never>(() => {});

function source(read: (signal: AbortSignal) => Promise<number>, end = new AbortController()) {
  const answers: number[] = [];
  const made = new Source({
    ...{ everyMs: 0, limitMs: 20, read, now: () => 0, signal: end.signal },
    onAnswer: answer => answers.push(answer),
  });
  return { made, answers, end };
}

/** Asks it, and waits until it has answered or was given up. */
async function ask(made: Source<number>): Promise<void> {
  made.ask();
  while (made.report.askedAt !== null) await sleep(5);
}

test('one that never answers is given up, its signal aborts, and it is asked again', async () => {
  const signals: AbortSignal[] = [];
  const { made } = source(signal => {
    signals.push(signal);
    return never();
  });
  await ask(made);
  expect([made.report.failure, signals[0]?.aborted]).toEqual(['no answer within 0.02 s', true]);
  await ask(made);
  expect(signals).toHaveLength(2);
});

test('one that throws before it has promised anything is a failure like any other', async () => {
  const { made } = source(() => {
    throw new Error('no credentials');
  });
  await ask(made);
  expect(made.report).toMatchObject({ failure: 'no credentials', answeredAt: null });
});

test('is asked no more when all has ended', async () => {
  let asked = 0;
  const { made, answers, end } = source(async () => {
    asked += 1;
    return asked;
  });
  await ask(made);
  end.abort();
  await ask(made);
  expect([asked, answers]).toEqual([1, [1]]);
});
