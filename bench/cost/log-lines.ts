import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { windowKey } from '../../expiry/window.ts';
import { planSweep } from '../../functions/plan-sweep/handler.ts';
import { recordMetrics } from '../../functions/record-metrics/handler.ts';
import { lagOf } from '../../functions/report/lag.ts';
import { startTotals } from '../../functions/report/sweep-totals.ts';
import { type MetricSet, readSettings, toEnvironment } from '../../functions/runtime/environment.ts';
import type { Documents } from '../../functions/table/dynamodb.ts';
import { resolveProps } from '../../stacks/props.ts';
import type { SweepTotals } from '../../statemachine/contract.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const STARTED_AT = '2026-11-20T09:00:05.000Z';
const ENDED_AT = '2026-11-20T09:02:00.250Z';

/** Bytes of each line that a sweep prints; undefined where it prints none. */
export interface LogBytes {
  readonly idle: number;
  readonly planned: number;
  readonly swept: number;
  readonly metrics: Readonly<Record<MetricSet, number>>;
}

/** Of a sweep that deleted 100 items in a minute. Their lags lie in about as many buckets as in a real minute. */
const TOTALS: SweepTotals = {
  ...startTotals(false),
  ...{ found: 100, deleted: 100, shardsSwept: 1, steps: 1 },
  ...lagOf(
    Array.from({ length: 100 }, (_unused, item) => MINUTE + 60 + item / 200),
    (MINUTE + 60.6) * 1000,
  ),
};

/**
 * Prints the lines with the real functions and the real logger, as Lambda would have them, and counts their bytes.
 */
export async function measureLogBytes(): Promise<LogBytes> {
  // Lambda sets it for every call, and the logger puts it into each line.
  process.env['_X_AMZN_TRACE_ID'] = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
  const settings = readSettings(
    toEnvironment(resolveProps({ tableName: 'SessionData', partitionKey: 'id' }), value => value),
  );
  const plan = (items: readonly object[]) =>
    planSweep(
      { executionInput: { scheduledTime: '2026-11-20T09:00:00Z' }, startedAt: STARTED_AT, soFar: null },
      {
        settings,
        documents: answering(items),
        logger: new Logger({ serviceName: 'plan-sweep' }),
        clock: Date.now,
        random: Math.random,
        sleep: async () => undefined,
      },
      () => 60_000,
    );
  const entry = { id: 'item-1', ttl: MINUTE + 60, expirationWindow: windowKey(MINUTE + 60, 60) };
  const idle = await printed(() => plan([]));
  const planned = await printed(() => plan([entry]));
  const documents: Record<MetricSet, number> = { all: 0, essential: 0 };
  const logger = new Logger({ serviceName: 'record-metrics' });
  const swept = await printed(async () => {
    for (const metrics of ['all', 'essential'] as const) {
      const report = () =>
        recordMetrics(
          {
            soFar: { progress: { totals: TOTALS, roundTargets: 0, cursor: null }, results: [], retries: 0 },
            ...{ startedAt: STARTED_AT, endedAt: ENDED_AT },
          },
          { ...settings, metrics },
          metrics === 'all' ? logger : { info: () => undefined },
          new Metrics({ namespace: 'PreciseTtl', serviceName: 'record-metrics' }),
          line => {
            documents[metrics] += Buffer.byteLength(line);
          },
        );
      report();
    }
  });
  return { idle, planned, swept, metrics: documents };
}

/** A client that finds these entries in every query. */
function answering(items: readonly object[]): Documents {
  return { send: async () => ({ Items: items }) } as unknown as Documents;
}

/** Bytes that are written to the output meanwhile, without the ends of the lines, which are no part of an event. */
async function printed(work: () => Promise<unknown>): Promise<number> {
  const { stdout } = process;
  const { write } = stdout;
  let bytes = 0;
  stdout.write = (chunk: string | Uint8Array): boolean => {
    bytes += Buffer.byteLength(String(chunk).trimEnd());
    return true;
  };
  try {
    await work();
  } finally {
    stdout.write = write;
  }
  return bytes;
}
