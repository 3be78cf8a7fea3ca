import { readFileSync } from 'node:fs';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import { SWEEP_METRICS } from '../../../functions/record-metrics/metrics.ts';
import { lagOf } from '../../../functions/report/lag.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import type { MetricSet } from '../../../functions/runtime/environment.ts';
import type { SweepTotals } from '../../../statemachine/contract.ts';

const TOTALS: SweepTotals = {
  ...startTotals(false),
  found: 22,
  deleted: 10,
  renewed: 4,
  held: 2,
  notFound: 3,
  failed: 3,
  retries: 7,
  shardsSwept: 2,
  shardsFailed: 1,
  steps: 2,
  oldestOverdueSeconds: 90,
  misfiled: 6,
  braked: 5,
  ...lagOf([100, 100, 90], 100_200),
};
const TIMES = { startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T09:00:01.250Z' };

function record(
  totals: SweepTotals,
  precisionSeconds = 60,
  metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' }),
  metricSet: MetricSet = 'all',
) {
  const logged: unknown[] = [];
  const lines: string[] = [];
  const logger = { info: (...args: unknown[]) => logged.push(args) };
  const output = recordMetrics(
    { soFar: { progress: { totals, roundTargets: 0, cursor: null }, results: [], retries: 0 }, ...TIMES },
    { tableName: 'SessionData', precisionSeconds, metrics: metricSet },
    logger as never,
    metrics,
    line => lines.push(line),
  );
  return { output, logged, documents: lines.map(line => JSON.parse(line)) };
}

test('prints every metric of the list once, for the table', () => {
  const { documents } = record(TOTALS);
  expect(documents).toHaveLength(1);
  const [directive] = documents[0]._aws.CloudWatchMetrics;
  expect(directive).toMatchObject({ Namespace: 'PreciseTtl', Dimensions: [['service', 'TableName']] });
  expect(directive.Metrics).toEqual(
    SWEEP_METRICS.map(({ name, unit }) => expect.objectContaining({ Name: name, Unit: unit })),
  );
  expect(documents[0]).toMatchObject({
    TableName: 'SessionData',
    ItemsFound: 22,
    ItemsDeleted: 10,
    ItemsRenewed: 4,
    ItemsNotFound: 3,
    ItemsDeletedLate: 0,
    ItemsFailed: 3,
    ChunkRetries: 7,
    ShardsSwept: 2,
    ShardsFailed: 1,
    OldestOverdue: 90,
    ItemsMisfiled: 6,
    SweepDuration: 1250,
  });
});

test('prints the lag as values with counts', () => {
  const { DeletionLag } = record(TOTALS).documents[0];
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
  (precisionSeconds, late, expected) => {
    const { documents } = record({ ...TOTALS, ...lagOf([100], (100 + late) * 1000) }, precisionSeconds);
    expect(documents[0].ItemsDeletedLate).toBe(expected);
  },
);

test('leaves the lag out when nothing was deleted', () => {
  const { documents, output } = record({ ...TOTALS, deleted: 0, lagCounts: {}, lagMaxMs: 0 });
  expect(documents[0]).not.toHaveProperty('DeletionLag');
  expect(documents[0]._aws.CloudWatchMetrics[0].Metrics).not.toContainEqual(
    expect.objectContaining({ Name: 'DeletionLag' }),
  );
  expect(output.lagMs).toBeNull();
});

test('leaves out what is seldom above 0 when it is not: a metric costs money each hour that it has a datapoint', () => {
  const [document] = record({ ...TOTALS, misfiled: 0, braked: 0, held: 0 }).documents;
  expect(document).not.toHaveProperty('ItemsMisfiled');
  expect(document).not.toHaveProperty('ItemsHeld');
  expect(document).not.toHaveProperty('Braked');
  expect(document._aws.CloudWatchMetrics[0].Metrics).toHaveLength(SWEEP_METRICS.length - 3);
});

test('records an execution that began before a count was there', () => {
  const { misfiled: _misfiled, ...older } = TOTALS;
  const { output, documents } = record(older as SweepTotals);
  expect(output.misfiled).toBe(0);
  expect(documents[0]).toMatchObject({ ItemsFound: 22 });
});

const recordEssential = (totals: SweepTotals) => record(totals, 60, undefined, 'essential');

test('records only what cannot be had for free, when the table says so', () => {
  const { documents } = recordEssential(TOTALS);
  const [directive] = documents[0]._aws.CloudWatchMetrics;
  expect(directive.Metrics.map(({ Name }: { Name: string }) => Name)).toEqual([
    'ItemsMisfiled',
    'DeletionLag',
  ]);
  expect(documents[0].DeletionLag.Count).toBe(3);
  expect(documents[0]).not.toHaveProperty('ItemsFound');
});

test('prints nothing when nothing essential happened, and reports all the same', () => {
  const { documents, output, logged } = recordEssential({ ...startTotals(false), shardsSwept: 1 });
  expect(documents).toEqual([]);
  expect(output).toMatchObject({ shardsSwept: 1, found: 0 });
  expect(logged).toHaveLength(1);
});

test('a second sweep in the same process starts from nothing', () => {
  const metrics = new Metrics({ namespace: 'PreciseTtl', serviceName: 'sweep' });
  record(TOTALS, 60, metrics);
  const { documents } = record({ ...TOTALS, found: 5 }, 60, metrics);
  expect(documents[0]).toMatchObject({ ItemsFound: 5, TableName: 'SessionData' });
});

test('answers with the report: the totals, and the lag in short', () => {
  const { lagCounts: _counts, lagMaxMs: _max, ...counts } = TOTALS;
  expect(record(TOTALS).output).toEqual({ ...counts, lagMs: { p50: 215, p99: 10_200, max: 10_200 } });
});

test('records nothing for a dry run but a line in the log', () => {
  const { documents, logged } = record({ ...TOTALS, dryRun: true });
  expect(documents).toEqual([]);
  expect(logged).toHaveLength(1);
});

test('every metric says what it is', () => {
  for (const { help } of SWEEP_METRICS) expect(help).toMatch(/^[A-Z(].*\.$/);
});

test('the README lists every metric with the same words', () => {
  const readme = readFileSync('README.md', 'utf8');
  for (const { name, unit, help } of SWEEP_METRICS)
    expect(readme).toContain(`| \`${name}\` | ${unit} | ${help} |`);
});
