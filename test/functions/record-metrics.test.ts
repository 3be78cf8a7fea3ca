import { SWEEP_METRICS } from '../../functions/lib/metrics.ts';
import { recordMetrics } from '../../functions/record-metrics.ts';
import type { SweepReport } from '../../statemachine/contract.ts';

const REPORT: SweepReport = {
  found: 20,
  deleted: 10,
  renewed: 4,
  alreadyGone: 3,
  failed: 3,
  retries: 7,
  shardsSwept: 2,
  shardsFailed: 1,
  failedKeys: [],
  dryRun: false,
};
const TIMES = { startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T09:00:01.250Z' };

function record(report: SweepReport) {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
    };
  recordMetrics({ report, ...TIMES }, 'SessionData', { info: note('info') }, {
    addDimension: note('dimension'),
    addMetric: note('metric'),
    publishStoredMetrics: note('publish'),
  } as never);
  return calls;
}

test('records every metric of the list once, for the table, and then publishes', () => {
  const calls = record(REPORT);
  expect(calls).toContainEqual(['dimension', 'TableName', 'SessionData']);
  expect(
    calls.filter(([name]) => name === 'metric').map(([, metric, unit, value]) => [metric, unit, value]),
  ).toEqual([
    ['ItemsFound', 'Count', 20],
    ['ItemsDeleted', 'Count', 10],
    ['ItemsRenewed', 'Count', 4],
    ['ItemsAlreadyGone', 'Count', 3],
    ['ItemsFailed', 'Count', 3],
    ['ChunkRetries', 'Count', 7],
    ['ShardsSwept', 'Count', 2],
    ['ShardsFailed', 'Count', 1],
    ['SweepDuration', 'Milliseconds', 1250],
  ]);
  expect(calls.at(-1)).toEqual(['publish']);
});

test('records nothing for a dry run but a line in the log', () => {
  expect(record({ ...REPORT, dryRun: true }).map(([name]) => name)).toEqual(['info']);
});

test('every metric says what it is', () => {
  for (const { help } of SWEEP_METRICS) expect(help).toMatch(/^[A-Z(].*\.$/);
});
