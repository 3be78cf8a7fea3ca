import { Metrics } from '@aws-lambda-powertools/metrics';
import type { SweepRow } from '../../../functions/journal/layout.ts';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import { SWEEP_METRICS } from '../../../functions/record-metrics/metrics.ts';
import { lagOf } from '../../../functions/report/lag.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import type { ChildOutput } from '../../../statemachine/contract/child.ts';
import type { RecordMetricsInput, TableSweep } from '../../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { SweepTotals } from '../../../statemachine/contract/report.ts';
import { carriedOf } from '../../support/configs.ts';

const TOTALS: SweepTotals = {
  ...startTotals(false),
  ...{ found: 20, deleted: 10, renewed: 4, notFound: 3, failed: 3, retries: 7 },
  ...{ shardsSwept: 2, shardsFailed: 1, rounds: 2 },
  ...lagOf([100, 100, 90], 100_200),
};
const CLEAN: SweepTotals = { ...startTotals(false), found: 1, deleted: 1, shardsSwept: 1 };
const TIMES = { startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T09:00:01.250Z' };
const SPAN = { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:00Z' };
const [FROM, TO] = [SPAN.from, SPAN.to].map(time => Date.parse(time) / 1000);

const settingsOf = (tableName: string, more: object = {}): CarriedSettings => ({
  ...carriedOf({ tableName, partitionKey: 'id' }),
  ...more,
});

function dependencies() {
  const logged: unknown[][] = [];
  const documents: ReturnType<typeof JSON.parse>[] = [];
  const journal = {
    putRows: jest.fn<Promise<void>, [readonly SweepRow[]]>(async () => undefined),
    replayed: jest.fn(async () => undefined),
  };
  const logger = { info: (...args: unknown[]) => logged.push(args), error: jest.fn() } as never;
  const metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' });
  const print = (line: string) => documents.push(JSON.parse(line));
  const timeIsUp = () => new Promise<void>(() => undefined);
  return { deployment: 'sessions', logger, metrics, print, timeIsUp, journal, logged, documents };
}

const inputOf = (
  machine: RecordMetricsInput['machine'],
  sweeps: readonly TableSweep[],
  results: readonly ChildOutput[],
): RecordMetricsInput => ({
  ...{ machine, execution: 'execution-1', ...TIMES },
  executionInput: machine === 'tick' ? { scheduledTime: SPAN.to } : SPAN,
  soFar: { sweeps: Object.fromEntries(sweeps.map(sweep => [sweep.settings.tableName, sweep])), results },
});

/** A replay of one table that came to this. */
const replayOf = (totals: SweepTotals, more: object = {}) =>
  inputOf('replay', [{ settings: settingsOf('aaa', more), targets: 0, oldestOverdueSeconds: 0, totals }], []);

async function record(input: RecordMetricsInput, calls = 1) {
  const own = dependencies();
  let output = await recordMetrics(input, own);
  for (let call = 1; call < calls; call += 1) output = await recordMetrics(input, own);
  const rows = own.journal.putRows.mock.calls.flatMap(([written]) => written);
  return { ...own, output, rows, replayed: own.journal.replayed.mock.calls };
}

describe('the metrics of an execution', () => {
  test('are one document of the deployment with every metric of the list, whatever was recorded before', async () => {
    const { documents } = await record(replayOf(TOTALS), 2);
    expect(documents).toHaveLength(2);
    const [directive] = documents[1]._aws.CloudWatchMetrics;
    expect(directive).toMatchObject({ Namespace: 'PreciseTtl', Dimensions: [['service', 'Deployment']] });
    expect(directive.Metrics).toEqual(
      // A metric costs money each hour that it has a datapoint.
      SWEEP_METRICS.filter(({ name }) => name !== 'TablesFailed').map(({ name, unit }) =>
        expect.objectContaining({ Name: name, Unit: unit }),
      ),
    );
    expect(documents[1]).toMatchObject({
      ...{ Deployment: 'sessions', ItemsFound: 20, ItemsDeleted: 10, ItemsRenewed: 4, ItemsNotFound: 3 },
      ...{ ItemsDeletedLate: 0, ItemsFailed: 3, ChunkRetries: 7, ShardsSwept: 2, ShardsFailed: 1 },
      SweepDuration: 1250,
      DeletionLag: { Values: [215, 10_200], Counts: [2, 1], Min: 215, Max: 10_200, Count: 3, Sum: 10_630 },
    });
    expect(documents[1]).not.toHaveProperty('TablesFailed');
  });

  test.each([
    // Up to a bucket, 19%, more than said.
    ['second', 10, 0],
    ['second', 14, 1],
    ['minute', 119, 0],
    ['minute', 145, 1],
  ])('with a precision of a %s an item that is %d s late is late: %d', async (precision, late, expected) => {
    const totals = { ...TOTALS, ...lagOf([100], (100 + late) * 1000) };
    expect((await record(replayOf(totals, { precision }))).documents[0].ItemsDeletedLate).toBe(expected);
  });

  test('have no lag when nothing was deleted', async () => {
    const { documents, output } = await record(replayOf({ ...TOTALS, lagCounts: {}, lagMaxMs: 0 }));
    expect(JSON.stringify(documents[0])).not.toContain('DeletionLag');
    expect(output.tables['aaa']?.lagMs).toBeNull();
  });
});

const swept = (table: string, deleted: number, lateMs = 100): ChildOutput => ({
  table,
  ...{ found: deleted, deleted, ...lagOf(Array(deleted).fill(100), 100_000 + lateMs) },
});

const planned = (table: string, plan: Partial<TableSweep> = {}, more: object = {}): TableSweep => ({
  settings: settingsOf(table, more),
  ...{ targets: 1, oldestOverdueSeconds: 0, ...plan },
});

const failing = (table: string): ChildOutput => ({
  ...{ table, found: 1, failed: 1 },
  failedKeys: [{ key: { id: { S: 'x'.repeat(40) } }, reason: 'ValidationError' }],
});

describe('a tick of several tables', () => {
  test('has metrics of the sums; late is what each table promises otherwise', async () => {
    const sweeps = [
      planned('aaa', { oldestOverdueSeconds: 70 }),
      planned('bbb'),
      planned('ccc', { oldestOverdueSeconds: 5 }, { precision: 'minute' }),
    ];
    const results = [swept('aaa', 3), swept('bbb', 4, 20_000), swept('ccc', 5, 20_000)];
    const { output, documents } = await record(inputOf('tick', sweeps, results));
    expect(output.complete).toBe(true);
    expect(documents).toMatchObject([
      {
        ...{ Deployment: 'sessions', ItemsDeleted: 12, OldestOverdue: 70, ShardsSwept: 3 },
        ...{ ItemsDeletedLate: 4, DeletionLag: { Count: 12 } },
      },
    ]);
  });

  test('answers, logs and writes a row for each table in which it did something, or failed', async () => {
    const failure = { error: 'InvalidSettingsError', message: 'shards: expected' };
    const sweeps = [
      planned('aaa'),
      planned('watched'),
      planned('idle', { targets: 0 }),
      planned('broken', { targets: 0, failure }, { shards: 'many' }),
    ];
    const results = [swept('aaa', 3), swept('watched', 0)];
    const { output, documents, logged, rows } = await record(inputOf('tick', sweeps, results));
    const { complete, tables } = output;
    expect(complete).toBe(false);
    // Those that left something come first.
    expect(Object.keys(tables)).toEqual(['broken', 'aaa']);
    expect(tables['aaa']).toMatchObject({ found: 3, deleted: 3, tablesFailed: 0, lagMs: { max: 100 } });
    expect(tables['broken']).toMatchObject({ found: 0, tablesFailed: 1, failure });
    expect(documents[0]).toMatchObject({ TablesFailed: 1, ItemsDeleted: 3 });
    expect(logged.map(([, told]) => (told as { table: string }).table)).toEqual(['aaa', 'broken']);
    const row = { kind: 'tick', execution: 'execution-1', ...TIMES };
    expect(rows).toEqual(['aaa', 'broken'].map(table => ({ table, ...row, report: tables[table] })));
  });

  test.each<[string, ChildOutput, boolean, object]>([
    ['is missing, as one that failed', { Error: 'States.Timeout' } as never, false, { shardsFailed: 1 }],
    ['left something to the next tick', { ...swept('aaa', 0), leftForLater: 1 }, true, { leftForLater: 1 }],
    [
      'was at work to its end',
      { ...swept('aaa', 0), resume: { shards: '0', from: 5, before: 9, upcomingFrom: null } },
      true,
      { leftForLater: 1, shardsFailed: 0 },
    ],
  ])('counts to its table a child that %s', async (_name, result, isComplete, told) => {
    const sweeps = [planned('aaa', { targets: 2 }), planned('bbb')];
    const { output } = await record(inputOf('tick', sweeps, [swept('aaa', 3), result, swept('bbb', 1)]));
    expect(output).toMatchObject({
      complete: isComplete,
      tables: { aaa: { deleted: 3, ...told }, bbb: { deleted: 1, shardsSwept: 1, leftForLater: 0 } },
    });
  });

  test('has room in the cause of a failure: those that left something come first, and it says how many more there are', async () => {
    const names = Array.from({ length: 100 }, (_unused, index) => `table-${index}`);
    const results = names.map((name, index) => (index % 2 === 0 ? swept(name, 1) : failing(name)));
    const { output, rows } = await record(
      inputOf(
        'tick',
        names.map(name => planned(name)),
        results,
      ),
    );
    const told = Object.values(output.tables);
    expect(JSON.stringify(output).length).toBeLessThan(32_768);
    expect(told.slice(0, 20).every(({ failed }) => failed === 1)).toBe(true);
    expect(told.length + (output.moreTables ?? 0)).toBe(100);
    expect(output.moreTables).toBeGreaterThan(0);
    // The journal has them all.
    expect(rows).toHaveLength(100);
  });
});

describe('a replay', () => {
  test('answers and writes its totals, with the lag in short', async () => {
    const { lagCounts: _counts, lagMaxMs: _max, ...counts } = TOTALS;
    const report = { ...counts, lagMs: { p50: 215, p99: 10_200, max: 10_200 } };
    const { output, rows } = await record(replayOf(TOTALS));
    expect(output).toEqual({ complete: false, tables: { aaa: report } });
    expect(rows).toMatchObject([{ kind: 'replay', table: 'aaa', report }]);
  });

  test.each<[string, Partial<SweepTotals>, boolean]>([
    ['left nothing', {}, true],
    ['failed to delete something', { failed: 1 }, false],
    ['lost a child', { shardsFailed: 1 }, false],
    ['left something for later', { leftForLater: 1 }, false],
  ])('that %s: it is complete, and its span is gone: %j %s', async (_name, totals, isGone) => {
    const { output, replayed } = await record(replayOf({ ...CLEAN, ...totals }));
    expect(output.complete).toBe(isGone);
    expect(replayed).toEqual(isGone ? [['aaa', FROM, Number(TO) - 9, TIMES.endedAt]] : []);
  });

  test('into the future has swept what had expired ten seconds before it began, and a second less with a stream reader', async () => {
    const input = replayOf(CLEAN, { marginSeconds: 1 });
    const { replayed } = await record({ ...input, executionInput: { ...SPAN, to: '2026-11-21T00:00:00Z' } });
    const before = Date.parse(TIMES.startedAt) / 1000 - 10 - 1 + 1;
    expect(replayed).toEqual([['aaa', FROM, before, TIMES.endedAt]]);
  });
});

test.each([
  ['does not answer', () => new Promise<void>(() => undefined), async () => undefined],
  [
    'cannot be written',
    () => Promise.reject(Object.assign(new Error('no'), { name: 'JournalUnwritableError' })),
    () => new Promise<void>(() => undefined),
  ],
])(
  'a journal that %s fails the call in time, after the metrics were printed',
  async (_name, putRows, timeIsUp) => {
    const own = dependencies();
    own.journal.putRows.mockImplementation(putRows);
    const recording = recordMetrics(replayOf(TOTALS), { ...own, timeIsUp });
    await expect(recording).rejects.toMatchObject({ name: 'JournalUnwritableError' });
    expect(own.documents).toHaveLength(1);
  },
);

test('the metrics are printed when nothing is left to do: a call that is ended before is made again', async () => {
  const own = dependencies();
  own.journal.putRows.mockImplementation(async () => expect(own.documents).toEqual([]));
  await recordMetrics(replayOf(TOTALS), own);
  expect(own.journal.putRows).toHaveBeenCalled();
  expect(own.documents).toHaveLength(1);
});
