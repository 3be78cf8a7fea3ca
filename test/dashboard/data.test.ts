import { type DashboardOptions, dashboardData, type Reads } from '../../dashboard/data.ts';
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
