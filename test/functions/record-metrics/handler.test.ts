import { Metrics } from '@aws-lambda-powertools/metrics';
import type { SweepRow } from '../../../functions/journal/layout.ts';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import { SWEEP_METRICS } from '../../../functions/record-metrics/metrics.ts';
import { lagOf } from '../../../functions/report/lag.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import type { ChildOutput } from '../../../statemachine/contract/child.ts';
import type { RecordMetricsInput, TableSweep } from '../../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { SweepReport, SweepTotals } from '../../../statemachine/contract/report.ts';
import { carriedOf } from '../../support/sweep-settings.ts';

const TOTALS: SweepTotals = {
  ...startTotals(false),
  found: 20,
  deleted: 10,
  renewed: 4,
  notFound: 3,
  failed: 3,
  retries: 7,
  shardsSwept: 2,
  shardsFailed: 1,
  rounds: 2,
  ...lagOf([100, 100, 90], 100_200),
};
const TIMES = { startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T09:00:01.250Z' };

const SETTINGS = carriedOf({ tableName: 'SessionData', partitionKey: 'id' });

/** A replay of one table that came to this. */
const replayOf = (totals: SweepTotals, settings: CarriedSettings = SETTINGS): RecordMetricsInput => ({
  machine: 'replay',
  executionInput: { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:00Z' },
  execution: 'replay-1',
  soFar: {
    sweeps: { [settings.tableName]: { settings, targets: 0, oldestOverdueSeconds: 0, totals } },
    results: [],
  },
  ...TIMES,
});

function surroundings(metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' })) {
  const logged: unknown[][] = [];
  const documents: ReturnType<typeof JSON.parse>[] = [];
  const journal = {
    putRows: jest.fn<Promise<void>, [readonly SweepRow[]]>(async () => undefined),
    replayed: jest.fn(async () => undefined),
  };
  const logger = { info: (...args: unknown[]) => logged.push(args), error: jest.fn() } as never;
  const print = (line: string) => documents.push(JSON.parse(line));
  const timeIsUp = () => new Promise<void>(() => undefined);
  return { deployment: 'sessions', logger, metrics, print, timeIsUp, journal, logged, documents };
}

/** One sweep of one table. */
async function record(totals: SweepTotals, precision = 'second', metrics?: Metrics) {
  const around = surroundings(metrics);
  const input = replayOf(totals, { ...SETTINGS, precision });
  const { tables } = await recordMetrics(input, around);
  const output = tables['SessionData'] as SweepReport;
  return { output, logged: around.logged, documents: around.documents };
}

test('prints every metric of the list once, for the deployment', async () => {
  const { documents } = await record(TOTALS);
  expect(documents).toHaveLength(1);
  const [directive] = documents[0]._aws.CloudWatchMetrics;
  expect(directive).toMatchObject({ Namespace: 'PreciseTtl', Dimensions: [['service', 'Deployment']] });
  expect(directive.Metrics).toEqual(
    SWEEP_METRICS.filter(({ name }) => name !== 'TablesFailed').map(({ name, unit }) =>
      expect.objectContaining({ Name: name, Unit: unit }),
    ),
  );
  expect(documents[0]).toMatchObject({
    Deployment: 'sessions',
    ItemsFound: 20,
    ItemsDeleted: 10,
    ItemsRenewed: 4,
    ItemsNotFound: 3,
    ItemsDeletedLate: 0,
    ItemsFailed: 3,
    ChunkRetries: 7,
    ShardsSwept: 2,
    ShardsFailed: 1,
    SweepDuration: 1250,
  });
});

test('prints the lag as values with counts', async () => {
  const { DeletionLag } = (await record(TOTALS)).documents[0];
  expect(DeletionLag).toEqual({
    Values: [215, 10_200],
    Counts: [2, 1],
    Min: 215,
    Max: 10_200,
    Count: 3,
    Sum: 10_630,
  });
});

test.each([
  // Up to a bucket, 19%, more than said.
  ['second', 10, 0],
  ['second', 14, 1],
  ['minute', 119, 0],
  ['minute', 145, 1],
])('with a precision of a %s an item that is %d s late is late: %d', async (precision, late, expected) => {
  const { documents } = await record({ ...TOTALS, ...lagOf([100], (100 + late) * 1000) }, precision);
  expect(documents[0].ItemsDeletedLate).toBe(expected);
});

test('leaves the lag out when nothing was deleted', async () => {
  const { documents, output } = await record({ ...TOTALS, deleted: 0, lagCounts: {}, lagMaxMs: 0 });
  expect(documents[0]).not.toHaveProperty('DeletionLag');
  expect(documents[0]._aws.CloudWatchMetrics[0].Metrics).not.toContainEqual(
    expect.objectContaining({ Name: 'DeletionLag' }),
  );
  expect(output.lagMs).toBeNull();
});

test('leaves out what is seldom above 0 when it is not: a metric costs money each hour that it has a datapoint', async () => {
  const [document] = (await record(TOTALS)).documents;
  expect(document).not.toHaveProperty('TablesFailed');
  expect(document._aws.CloudWatchMetrics[0].Metrics).toHaveLength(SWEEP_METRICS.length - 1);
});

test('a second sweep in the same process starts from nothing', async () => {
  const metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' });
  await record(TOTALS, 'second', metrics);
  const { documents } = await record({ ...TOTALS, found: 5 }, 'second', metrics);
  expect(documents[0]).toMatchObject({ ItemsFound: 5, Deployment: 'sessions' });
});

test('answers with the report: the totals, and the lag in short', async () => {
  const { lagCounts: _counts, lagMaxMs: _max, ...counts } = TOTALS;
  expect((await record(TOTALS)).output).toEqual({ ...counts, lagMs: { p50: 215, p99: 10_200, max: 10_200 } });
});

test('records nothing for a dry run but a line in the log', async () => {
  const { documents, logged } = await record({ ...TOTALS, dryRun: true });
  expect(documents).toEqual([]);
  expect(logged).toHaveLength(1);
});

/* The tables of a deployment. */

const settingsOf = (tableName: string, more: object = {}): CarriedSettings => ({
  ...SETTINGS,
  tableName,
  ...more,
});

const swept = (table: string, deleted: number, lateMs = 100): ChildOutput => ({
  table,
  ...{ found: deleted, deleted, ...lagOf(Array(deleted).fill(100), 100_000 + lateMs) },
});

const planned = (settings: CarriedSettings, plan: Partial<TableSweep> = {}): TableSweep => ({
  settings,
  ...{ targets: 1, oldestOverdueSeconds: 0, ...plan },
});

const tickOf = (sweeps: readonly TableSweep[], results: readonly ChildOutput[]): RecordMetricsInput => ({
  ...replayOf(TOTALS),
  machine: 'tick',
  executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
  execution: 'tick-1',
  soFar: { sweeps: Object.fromEntries(sweeps.map(sweep => [sweep.settings.tableName, sweep])), results },
});

describe('a tick of several tables', () => {
  const [a, b] = [settingsOf('aaa'), settingsOf('bbb')];

  test('is one line of metrics, of the sums', async () => {
    const c = settingsOf('ccc');
    const around = surroundings();
    const sweeps = [planned(a, { oldestOverdueSeconds: 70 }), planned(b), planned(c)];
    const results = [swept('aaa', 3), swept('bbb', 4, 20_000), swept('ccc', 5)];
    const output = await recordMetrics(tickOf(sweeps, results), around);
    expect(output.complete).toBe(true);
    const [deployment, ...others] = around.documents;
    expect(others).toEqual([]);
    expect(deployment).toMatchObject({
      Deployment: 'sessions',
      ItemsDeleted: 12,
      OldestOverdue: 70,
    });
    // Late by what their own table promises.
    expect(deployment).toMatchObject({ ItemsDeletedLate: 4, DeletionLag: { Count: 12 }, ShardsSwept: 3 });
    expect(deployment).not.toHaveProperty('TableName');
  });

  test('answers, logs and writes a row for each table in which it did something, or failed', async () => {
    const failure = { error: 'ResourceNotFoundException', message: 'gone' };
    const around = surroundings();
    const { complete, tables } = await recordMetrics(
      tickOf(
        [planned(a), planned(b, { targets: 0 }), planned(settingsOf('gone'), { targets: 0, failure })],
        [swept('aaa', 3)],
      ),
      around,
    );
    expect(complete).toBe(false);
    // Those that left something come first.
    expect(Object.keys(tables)).toEqual(['gone', 'aaa']);
    expect(tables['aaa']).toMatchObject({ found: 3, deleted: 3, tablesFailed: 0, lagMs: { max: 100 } });
    expect(tables['gone']).toMatchObject({ found: 0, tablesFailed: 1, failure });
    expect(around.documents[0]).toMatchObject({ TablesFailed: 1 });
    expect(around.logged.map(([, told]) => (told as { table: string }).table)).toEqual(['aaa', 'gone']);
    expect(around.journal.putRows.mock.calls).toEqual([
      [
        ['aaa', 'gone'].map(table => ({
          table,
          kind: 'tick',
          execution: 'tick-1',
          ...TIMES,
          report: tables[table],
        })),
      ],
    ]);
  });

  test('writes no row and no line for a table that it has only watched', async () => {
    const around = surroundings();
    const { complete, tables } = await recordMetrics(
      tickOf([planned(a), planned(b)], [swept('aaa', 3), swept('bbb', 0)]),
      around,
    );
    expect([complete, Object.keys(tables)]).toEqual([true, ['aaa']]);
    expect(around.logged).toHaveLength(1);
    expect(around.journal.putRows.mock.calls[0]?.[0]).toMatchObject([{ table: 'aaa' }]);
  });

  test('keeps what the others came to where the settings of one cannot be read', async () => {
    const around = surroundings();
    const failure = { error: 'InvalidSettingsError', message: 'shards: expected' };
    const broken = planned(settingsOf('bbb', { shards: 'many' }), { targets: 0, failure });
    const { tables } = await recordMetrics(tickOf([planned(a), broken], [swept('aaa', 3)]), around);
    expect(tables).toMatchObject({ aaa: { deleted: 3 }, bbb: { tablesFailed: 1, failure } });
    expect(around.documents[0]).toMatchObject({ ItemsDeleted: 3, TablesFailed: 1 });
  });

  test('counts a child that is missing among the results to the table of which it was', async () => {
    const crashed = { Error: 'States.Timeout' };
    const { tables } = await recordMetrics(
      tickOf([planned(a, { targets: 2 }), planned(b)], [swept('aaa', 3), crashed, swept('bbb', 1)]),
      surroundings(),
    );
    expect(tables['aaa']).toMatchObject({ deleted: 3, shardsSwept: 1, shardsFailed: 1 });
    expect(tables['bbb']).toMatchObject({ deleted: 1, shardsSwept: 1, shardsFailed: 0 });
  });

  test('is complete when a child has left something to the next tick, and says so', async () => {
    const resume = { shards: '0', from: 5, before: 9, upcomingFrom: null };
    const left = { ...swept('aaa', 3), resume };
    const results = [left, { ...swept('aaa', 0), leftForLater: 1 }, swept('bbb', 1)];
    const { complete, tables } = await recordMetrics(
      tickOf([planned(a, { targets: 2 }), planned(b)], results),
      surroundings(),
    );
    expect(complete).toBe(true);
    expect(tables).toMatchObject({
      aaa: { deleted: 3, leftForLater: 2, shardsFailed: 0 },
      bbb: { leftForLater: 0 },
    });
  });
});

describe('a replay', () => {
  const [from, to] = ['2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z'].map(time => Date.parse(time) / 1000);
  const CLEAN: SweepTotals = { ...startTotals(false), found: 1, deleted: 1, shardsSwept: 1 };

  test('has a row that says so', async () => {
    const around = surroundings();
    await recordMetrics(replayOf(CLEAN), around);
    expect(around.journal.putRows.mock.calls[0]?.[0]).toMatchObject([{ kind: 'replay' }]);
  });

  test.each<[string, Partial<SweepTotals>, boolean]>([
    ['left nothing', {}, true],
    ['failed to delete something', { failed: 1 }, false],
    ['lost a child', { shardsFailed: 1 }, false],
    ['left something for later', { leftForLater: 1 }, false],
    ['was a dry run', { dryRun: true }, false],
  ])('that %s: what it has swept is gone: %j %s', async (_name, totals, isGone) => {
    const around = surroundings();
    await recordMetrics(replayOf({ ...CLEAN, ...totals }), around);
    expect(around.journal.replayed.mock.calls).toEqual(
      isGone ? [['SessionData', from, to, TIMES.endedAt]] : [],
    );
  });

  test('into the future has swept no more than had expired when it began, and a second before with a stream reader', async () => {
    const around = surroundings();
    const replay = replayOf(CLEAN, { ...SETTINGS, marginSeconds: 1 });
    await recordMetrics(
      { ...replay, executionInput: { from: '2026-11-20T08:00:00Z', to: '2026-11-21T00:00:00Z' } },
      around,
    );
    const before = Date.parse(TIMES.startedAt) / 1000 - 1 + 1;
    expect(around.journal.replayed.mock.calls).toEqual([['SessionData', from, before, TIMES.endedAt]]);
  });

  test('of nothing has no row when it was dry', async () => {
    const around = surroundings();
    await recordMetrics(replayOf({ ...CLEAN, dryRun: true }), around);
    expect(around.journal.putRows.mock.calls).toEqual([[[]]]);
  });
});

test('a journal that does not answer fails the call in time, after the metrics were printed', async () => {
  const around = surroundings();
  around.journal.putRows.mockReturnValue(new Promise(() => undefined));
  const recording = recordMetrics(replayOf(TOTALS), { ...around, timeIsUp: async () => undefined });
  await expect(recording).rejects.toMatchObject({ name: 'JournalUnwritableError' });
  expect(around.documents).toHaveLength(1);
});

test('the metrics are printed when nothing is left to do: a call that is ended before is made again', async () => {
  const around = surroundings();
  around.journal.putRows.mockImplementation(async () => expect(around.documents).toEqual([]));
  await recordMetrics(replayOf(TOTALS), around);
  expect(around.journal.putRows).toHaveBeenCalled();
  expect(around.documents).toHaveLength(1);
});

describe('what a tick says of its tables', () => {
  const key = (index: number) => ({ key: { id: { S: `${index}`.repeat(40) } }, reason: 'ValidationError' });
  const failing = (table: string, keys: number): ChildOutput => ({
    table,
    ...{
      found: keys,
      failed: keys,
      failedKeys: Array.from({ length: keys }, (_unused, index) => key(index)),
    },
  });

  test('has room in the cause of a failure: those that left something come first, and it says how many more there are', async () => {
    const names = Array.from({ length: 100 }, (_unused, index) => `table-${index}`);
    const results = names.map((name, index) => (index % 2 === 0 ? swept(name, 1) : failing(name, 1)));
    const around = surroundings();
    const output = await recordMetrics(
      tickOf(
        names.map(name => planned(settingsOf(name))),
        results,
      ),
      around,
    );
    const told = Object.values(output.tables);
    expect(JSON.stringify(output).length).toBeLessThan(32_768);
    expect(told.slice(0, 20).every(({ failed }) => failed === 1)).toBe(true);
    expect(told.length + (output.moreTables ?? 0)).toBe(100);
    expect(output.moreTables).toBeGreaterThan(0);
    // The journal has them all.
    expect(around.journal.putRows.mock.calls[0]?.[0]).toHaveLength(100);
  });

  test('has fewer keys where they are too long', async () => {
    const long = { key: { id: { S: 'x'.repeat(2_000) } }, reason: 'ValidationError' };
    const many = { ...failing('aaa', 1), failedKeys: Array(20).fill(long), failed: 20 } as ChildOutput;
    const { tables, moreTables } = await recordMetrics(
      tickOf([planned(settingsOf('aaa')), planned(settingsOf('bbb'))], [many, many, failing('bbb', 1)]),
      surroundings(),
    );
    expect(moreTables).toBeUndefined();
    expect(JSON.stringify(tables).length).toBeLessThan(31_000);
    expect(tables['bbb']).toMatchObject({ failed: 1 });
  });
});

test('a journal that cannot be written fails the call, after the metrics were printed', async () => {
  const around = surroundings();
  const unwritable = Object.assign(new Error('no'), { name: 'JournalUnwritableError' });
  around.journal.putRows.mockRejectedValue(unwritable);
  await expect(recordMetrics(replayOf(TOTALS), around)).rejects.toBe(unwritable);
  expect(around.documents).toHaveLength(1);
});

test('every metric says what it is', async () => {
  for (const { help } of SWEEP_METRICS) expect(help).toMatch(/^[A-Z(].*\.$/);
});
