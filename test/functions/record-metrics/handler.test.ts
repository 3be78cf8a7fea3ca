import { Metrics } from '@aws-lambda-powertools/metrics';
import { endShard, handOn } from '../../../functions/child/shard-result.ts';
import type { SweepRow } from '../../../functions/journal/layout.ts';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import { SWEEP_METRICS } from '../../../functions/record-metrics/metrics.ts';
import { lagOf } from '../../../functions/report/lag.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import type { ChildOutput } from '../../../statemachine/contract/child.ts';
import type { RecordMetricsInput, TableSweep, TickPlan } from '../../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { SweepReport, SweepTotals } from '../../../statemachine/contract/report.ts';
import type { TargetWindow } from '../../../statemachine/contract/targets.ts';
import { childProgress } from '../../support/sweep-reports.ts';
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
  steps: 2,
  oldestOverdueSeconds: 90,
  tablesFailed: 1,
  handedOver: 2,
  braked: 5,
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
    sweeps: { [settings.tableName]: { settings, progress: { totals, roundTargets: 0, cursor: null } } },
    results: [],
    retries: 0,
  },
  ...TIMES,
});

function surroundings(metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' })) {
  const logged: unknown[][] = [];
  const documents: ReturnType<typeof JSON.parse>[] = [];
  const journal = {
    putRows: jest.fn<Promise<void>, [readonly SweepRow[]]>(async () => undefined),
    takeHandOver: jest.fn(async (_table: string, _before: number, _execution: string) => true),
    endHandOver: jest.fn(async () => undefined),
    replayed: jest.fn(async () => undefined),
  };
  const logger = { info: (...args: unknown[]) => logged.push(args), error: jest.fn() } as never;
  const print = (line: string) => documents.push(JSON.parse(line));
  const timeIsUp = () => new Promise<void>(() => undefined);
  return { deployment: 'sessions', logger, metrics, print, timeIsUp, journal, logged, documents };
}

/** One sweep of one table. */
async function record(totals: SweepTotals, precisionSeconds = 60, metrics?: Metrics) {
  const around = surroundings(metrics);
  const input = replayOf(totals, { ...SETTINGS, precisionSeconds });
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
    SWEEP_METRICS.map(({ name, unit }) => expect.objectContaining({ Name: name, Unit: unit })),
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
    OldestOverdue: 90,
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
  [1, 10, 0],
  [1, 14, 1],
  [30, 40, 0],
  [30, 48, 1],
  [60, 119, 0],
  [60, 145, 1],
])(
  'with precisionSeconds %d an item that is %d s late is caught up: %d',
  async (precisionSeconds, late, expected) => {
    const { documents } = await record({ ...TOTALS, ...lagOf([100], (100 + late) * 1000) }, precisionSeconds);
    expect(documents[0].ItemsDeletedLate).toBe(expected);
  },
);

test('leaves the lag out when nothing was deleted', async () => {
  const { documents, output } = await record({ ...TOTALS, deleted: 0, lagCounts: {}, lagMaxMs: 0 });
  expect(documents[0]).not.toHaveProperty('DeletionLag');
  expect(documents[0]._aws.CloudWatchMetrics[0].Metrics).not.toContainEqual(
    expect.objectContaining({ Name: 'DeletionLag' }),
  );
  expect(output.lagMs).toBeNull();
});

test('leaves out what is seldom above 0 when it is not: a metric costs money each hour that it has a datapoint', async () => {
  const [document] = (await record({ ...TOTALS, braked: 0, tablesFailed: 0, handedOver: 0 })).documents;
  expect(document).not.toHaveProperty('Braked');
  expect(document._aws.CloudWatchMetrics[0].Metrics).toHaveLength(SWEEP_METRICS.length - 3);
});

test('records an execution that began before a count was there', async () => {
  const { braked: _braked, ...older } = TOTALS;
  const { output, documents } = await record(older as SweepTotals);
  expect(output.braked).toBe(0);
  expect(documents[0]).toMatchObject({ ItemsFound: 20 });
});

test('a second sweep in the same process starts from nothing', async () => {
  const metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' });
  await record(TOTALS, 60, metrics);
  const { documents } = await record({ ...TOTALS, found: 5 }, 60, metrics);
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

const TARGET = { windows: [], from: 1, before: 100, upcomingFrom: null };

const settingsOf = (tableName: string, more: object = {}): CarriedSettings => ({
  ...SETTINGS,
  tableName,
  precisionSeconds: 1,
  ...more,
});

const swept = (table: string, deleted: number, lateMs = 100): ChildOutput => ({
  table,
  ...endShard(
    childProgress(
      { target: TARGET },
      { counts: { deleted, ...lagOf(Array(deleted).fill(100), 100_000 + lateMs) } },
    ),
    {
      interrupted: false,
    },
  ),
});

const resumed = (table: string, windows: readonly TargetWindow[], before: number): ChildOutput => ({
  table,
  ...handOn(
    childProgress({ target: { windows, from: 1, before, upcomingFrom: null } }, { counts: { deleted: 1 } }),
  ),
});

const planned = (settings: CarriedSettings, plan: Partial<TickPlan> = {}): TableSweep => ({
  settings,
  planned: { targets: 1, oldestOverdueSeconds: 0, ...plan },
});

const tickOf = (sweeps: readonly TableSweep[], results: readonly ChildOutput[]): RecordMetricsInput => ({
  ...replayOf(TOTALS),
  machine: 'tick',
  executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
  execution: 'tick-1',
  soFar: {
    sweeps: Object.fromEntries(sweeps.map(sweep => [sweep.settings.tableName, sweep])),
    results,
    retries: 0,
  },
});

describe('a tick of several tables', () => {
  const [a, b] = [settingsOf('aaa'), settingsOf('bbb')];

  test('is one line of metrics, of the sums', async () => {
    const c = settingsOf('ccc');
    const around = surroundings();
    const sweeps = [planned(a, { oldestOverdueSeconds: 70 }), planned(b), planned(c)];
    const results = [swept('aaa', 3), swept('bbb', 4, 20_000), swept('ccc', 5)];
    const output = await recordMetrics(tickOf(sweeps, results), around);
    expect(output).toMatchObject({ complete: true, handOvers: [] });
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

  test('fails the tables of parts that were not started, once each', async () => {
    const { soFar, ...input } = tickOf([planned(a)], [swept('aaa', 1)]);
    const part = {
      due: [],
      sweeps: { aaa: planned(a), bbb: planned(b, { targets: 3, oldestOverdueSeconds: 9 }) },
    };
    const { complete, tables } = await recordMetrics(
      { ...input, soFar: { ...soFar, failedParts: [part] } },
      surroundings(),
    );
    expect(complete).toBe(false);
    expect(tables['aaa']).toMatchObject({ deleted: 1, shardsSwept: 1, shardsFailed: 1 });
    expect(tables['bbb']).toMatchObject({ shardsFailed: 3, oldestOverdueSeconds: 9 });
  });
});

describe('what a tick could not finish', () => {
  const eight = Date.parse('2026-11-20T08:00:00Z') / 1000;
  const HOUR = { start: eight, shards: '0' };
  const a = settingsOf('aaa');
  const leftOver = { from: eight, to: eight + 60 };

  test('is handed over, from the first window to the last second, under a name that comes again with the call', async () => {
    const around = surroundings();
    const input = tickOf([planned(a, { leftOver })], [resumed('aaa', [HOUR], eight + 3000)]);
    const { handOvers, complete, tables } = await recordMetrics(input, around);
    const name = 'tick-1-1795165201-0';
    expect(handOvers).toEqual([
      {
        name,
        input: { table: 'aaa', from: '2026-11-20T08:00:00Z', to: '2026-11-20T08:50:00Z', handOver: true },
      },
    ]);
    expect(around.journal.takeHandOver.mock.calls).toEqual([['aaa', eight + 3000, name]]);
    // It is not lost, and so no failure.
    expect(complete).toBe(true);
    expect(tables['aaa']).toMatchObject({ failed: 0, shardsFailed: 0 });
    expect(around.journal.putRows.mock.calls[0]?.[0]).toHaveLength(1);
    // Whether it is started is not known yet.
    expect(around.documents[0]).not.toHaveProperty('HandOvers');
    expect((await recordMetrics(input, surroundings())).handOvers).toEqual(handOvers);
  });

  test('is left to the execution that has it already', async () => {
    const around = surroundings();
    around.journal.takeHandOver.mockImplementation(async table => table !== 'aaa');
    const sweeps = [planned(a, { leftOver }), planned(settingsOf('bbb'), { leftOver })];
    const { handOvers, complete, tables } = await recordMetrics(
      tickOf(sweeps, [swept('aaa', 1), swept('bbb', 1)]),
      around,
    );
    expect(handOvers.map(({ input: { table } }) => table)).toEqual(['bbb']);
    expect(complete).toBe(true);
    // That one may have only what lies further back.
    expect([tables['aaa'], tables['bbb']]).toMatchObject([{ leftForLater: 1 }, { leftForLater: 0 }]);
    const rows = around.journal.putRows.mock.calls.flat(2);
    expect(rows.map(({ report }) => report.leftForLater)).toEqual([1, 0]);
  });

  test("is the next tick's where a table has a limit", async () => {
    const around = surroundings();
    const sweeps = [planned(a, { limited: true })];
    const { handOvers, tables } = await recordMetrics(
      tickOf(sweeps, [resumed('aaa', [HOUR], eight + 60)]),
      around,
    );
    expect(handOvers).toEqual([]);
    expect(around.journal.takeHandOver).not.toHaveBeenCalled();
    // It says that something is left.
    expect(tables['aaa']).toMatchObject({ leftForLater: 1, handedOver: 0 });
  });
});

describe('a replay', () => {
  const handOver = {
    from: '2026-11-20T08:00:00Z',
    to: '2026-11-20T09:00:00Z',
    table: 'SessionData',
    handOver: true,
  };
  const [from, to] = ['2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z'].map(time => Date.parse(time) / 1000);
  const CLEAN: SweepTotals = { ...startTotals(false), found: 1, deleted: 1, shardsSwept: 1 };

  test('that was handed over gives its table back to the ticks, and has a row that says so', async () => {
    const around = surroundings();
    await recordMetrics({ ...replayOf(CLEAN), executionInput: handOver }, around);
    // The tick that left it to this one does not know whether it was started.
    expect(around.documents[0]).toMatchObject({ HandOvers: 1 });
    expect(around.journal.endHandOver.mock.calls).toEqual([['SessionData', 'replay-1']]);
    expect(around.journal.putRows.mock.calls[0]?.[0]).toMatchObject([{ kind: 'handOver' }]);
    expect(around.journal.takeHandOver).not.toHaveBeenCalled();
  });

  test.each([
    ['within what a tick reaches', '2026-11-20T08:00:00Z', [['SessionData', 'replay-1']]],
    ['further back, which the next tick would hand over again', '2026-10-01T08:00:00Z', []],
  ])('that was handed over and left items %s', async (_where, begin, givenBack) => {
    const around = surroundings();
    const replay = replayOf({ ...CLEAN, failed: 1 });
    await recordMetrics({ ...replay, executionInput: { ...handOver, from: begin } }, around);
    expect(around.journal.endHandOver.mock.calls).toEqual(givenBack);
  });

  test('by hand gives nothing back', async () => {
    const around = surroundings();
    await recordMetrics(replayOf(CLEAN), around);
    expect(around.journal.endHandOver).not.toHaveBeenCalled();
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
    await recordMetrics({ ...replay, executionInput: { ...handOver, to: '2026-11-21T00:00:00Z' } }, around);
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
  around.journal.endHandOver.mockImplementation(async () => {
    expect(around.documents).toEqual([]);
    return undefined;
  });
  await recordMetrics({ ...replayOf(TOTALS), executionInput: { handOver: true } }, around);
  expect(around.journal.endHandOver).toHaveBeenCalled();
  expect(around.documents).toHaveLength(1);
});

describe('what a tick says of its tables', () => {
  const key = (index: number) => ({ key: { id: { S: `${index}`.repeat(40) } }, reason: 'ValidationError' });
  const failing = (table: string, keys: number): ChildOutput => ({
    table,
    ...endShard(
      childProgress(
        { target: TARGET, listedKeysBytes: 20_000 },
        {
          counts: { failed: keys, failedKeys: Array.from({ length: keys }, (_unused, index) => key(index)) },
        },
      ),
      { interrupted: false },
    ),
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
