import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DashboardOptions,
  dashboardData,
  type Reads,
  SHOWN_MINUTES,
  SweepSeries,
} from '../../dashboard/data.ts';
import { Source } from '../../dashboard/source.ts';
import { configOf } from '../support/configs.ts';
import { historyOf, statusOf, sweepEnded, tableReport, unknownReport } from '../support/status-reports.ts';

const START = Date.parse('2026-11-20T12:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();
const SESSIONS = { tableName: 'Sessions', partitionKey: 'id' };
const HANGS = () => new Promise<never>(() => {});
const stop = new AbortController();
afterAll(() => stop.abort());

/** Everything that is promised by now has happened. */
const settled = () => new Promise(resolve => setImmediate(resolve));

function gather(reads: Partial<Reads>, options: Partial<DashboardOptions> = {}) {
  const clock = { ms: START };
  const asked: string[] = [];
  const counting = <Name extends keyof Reads>(name: Name, read: Reads[Name]): Reads[Name] =>
    ((...args: never[]) => {
      asked.push(name);
      return (read as (...given: never[]) => unknown)(...args);
    }) as Reads[Name];
  const fine: Reads = {
    status: async () => statusOf(iso(clock.ms), tableReport('Sessions')),
    history: async () => historyOf('Sessions'),
  };
  const { status, history } = { ...fine, ...reads };
  const data = dashboardData({
    config: configOf(SESSIONS),
    signal: stop.signal,
    now: () => clock.ms,
    reads: {
      status: counting('status', status),
      history: counting('history', history),
    },
    ...options,
  });
  /** The report after somebody has looked, and the answers have come. */
  const look = async (afterMs = 0) => {
    clock.ms += afterMs;
    data.report();
    await settled();
    return data.report();
  };
  return { data, look, asked, clock };
}

test('asks nobody before somebody looks, and answers at once with what it knows', async () => {
  const { data, asked } = gather({});
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

test('asks for a status every 10 seconds at the most, and for a history every 30, however often somebody looks', async () => {
  const { look, asked } = gather({});
  for (let second = 0; second <= 60; second += 2) await look(2_000);
  expect(asked.filter(name => name === 'status')).toHaveLength(7);
  expect(asked.filter(name => name === 'history')).toHaveLength(3);
});

test('a source that hangs is asked once, is named with the time of the question, and delays no other one', async () => {
  const tick = sweepEnded(iso(START), { outcome: { found: 3, deleted: 3 } });
  const { look, asked } = gather({ status: HANGS, history: async () => historyOf('Sessions', tick) });
  await look();
  const { sources, tables, verdict } = await look(25_000);
  expect(asked.filter(name => name === 'status')).toHaveLength(1);
  expect([verdict, tables[0]?.lastMinute?.deleted]).toEqual([null, 3]);
  expect(sources).toEqual([
    { name: 'status', askedAt: iso(START), answeredAt: null, failure: null },
    { name: 'history', askedAt: null, answeredAt: iso(START), failure: null },
  ]);
});

test('a source that fails is named with its error, and its last answer stays', async () => {
  let fails = false;
  const status = async () => {
    if (fails) throw Object.assign(new Error('is too old'), { name: 'ExpiredToken', $metadata: {} });
    return statusOf(iso(START), tableReport('Sessions'));
  };
  const { look } = gather({ status });
  await look();
  fails = true;
  const report = await look(15_000);
  expect(report.sources[0]).toEqual({
    name: 'status',
    askedAt: null,
    answeredAt: iso(START),
    failure: 'DynamoDB: ExpiredToken: is too old',
  });
  expect(report).toMatchObject({ verdict: 'fine', statusAt: iso(START) });
  fails = false;
  expect((await look(15_000)).sources[0]?.failure).toBeNull();
});

test('keeps the values that a later status does not know, with the time at which they were known', async () => {
  let table = tableReport('Sessions', {
    alarms: [{ name: 'late', state: 'OK', since: null }],
  });
  const { look, clock } = gather({ status: async () => statusOf(iso(clock.ms), table) });
  await look();
  table = unknownReport('Sessions');
  const { statusAt, tables, verdict } = await look(15_000);
  expect([statusAt, verdict]).toEqual([iso(START + 15_000), 'broken']);
  expect(tables[0]).toMatchObject({
    journal: { at: iso(START), value: { watermark: '2026-11-20T11:59:58.000Z' } },
    overdue: { at: iso(START), value: { items: 0 } },
    gone: { at: iso(START) },
    alarms: { at: iso(START), value: [{ name: 'late' }] },
    schedules: { at: iso(START) },
    deadLetters: { at: iso(START), value: 0 },
  });
  table = tableReport('Sessions', { pause: { since: iso(START), until: null } });
  const mended = await look(15_000);
  expect(mended.tables[0]?.journal).toMatchObject({
    at: iso(START + 30_000),
    value: { pause: { until: null } },
  });
});

test('reads a day of the journal first, follows it up by quarters of an hour, and reads a day again half an hour later', async () => {
  const spans: number[] = [];
  const { look } = gather({
    async history(sinceMs) {
      spans.push(sinceMs / 60_000);
      return historyOf('Sessions');
    },
  });
  for (let asked = 0; asked <= 61; asked += 1) await look(30_000);
  expect(spans).toHaveLength(62);
  expect(spans.filter(minutes => minutes === 1_440)).toHaveLength(2);
  expect([spans[0], spans[1], spans[60], spans[61]]).toEqual([1_440, 15, 1_440, 15]);
});

test('shows the minutes of the table that is asked for, and of the first one without a name that it has', async () => {
  const other = { tableName: 'Tokens', partitionKey: 'id' };
  const tables = ['Sessions', 'Tokens'].map(tableName => ({
    ...{ tableName, name: 'precise-ttl' },
    sweeps: [{ ...sweepEnded(iso(START), { outcome: { found: tableName.length } }), failedKeys: [] }],
  }));
  const { data, look } = gather(
    { history: async () => ({ region: 'us-east-1', since: iso(START), tables }) },
    { config: configOf(SESSIONS, other) },
  );
  await look();
  expect(data.report('Tokens').shown).toMatchObject({ tableName: 'Tokens', minutes: [{ due: 6 }] });
  expect(data.report('<script>').shown).toMatchObject({ tableName: 'Sessions', minutes: [{ due: 8 }] });
  expect(data.report().tables.map(table => table.lastMinute?.due)).toEqual([8, 6]);
});

test('a history of the whole day is followed by short ones', async () => {
  const spans: number[] = [];
  const { look } = gather({
    async history(sinceMs) {
      spans.push(sinceMs / 60_000);
      return historyOf('Sessions');
    },
  });
  await look();
  await look(30_000);
  await look(30_000);
  expect(spans).toEqual([1_440, 15, 15]);
});

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

const never = () => new Promise<never>(() => {});

function source(read: (signal: AbortSignal) => Promise<number>, end = new AbortController()) {
  const answers: number[] = [];
  const made = new Source({
    ...{ name: 'status', everyMs: 0, limitMs: 20, read, now: () => 0, signal: end.signal },
    onAnswer: answer => answers.push(answer),
    describe: error => (error as Error).message,
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
