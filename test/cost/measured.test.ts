import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { MemoryJournal } from '../../bench/fuzz/memory-journal.ts';
import { LOG_BYTES } from '../../cost/assumptions.ts';
import { recordMetrics } from '../../functions/record-metrics/handler.ts';
import { lagOf } from '../../functions/report/lag.ts';
import { startTotals } from '../../functions/report/sweep-totals.ts';
import { carriedOf } from '../support/sweep-settings.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** A sweep that deleted 100 items in a minute, with about as many lag buckets as a real one. */
const TOTALS = {
  ...startTotals(false),
  ...{ found: 100, deleted: 100, shardsSwept: 1 },
  ...lagOf(
    Array.from({ length: 100 }, (_unused, item) => MINUTE + 60 + item / 200),
    (MINUTE + 60.6) * 1000,
  ),
};

/** What a sweep prints, by the real function and logger; a line's end is not part of a log event. */
async function printedBytes(): Promise<number[]> {
  let swept = 0;
  let metrics = 0;
  const written = jest.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    swept += Buffer.byteLength(String(chunk).trimEnd());
    return true;
  });
  // Lambda sets it for every call, and the logger puts it into each line.
  process.env['_X_AMZN_TRACE_ID'] = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
  const settings = carriedOf({ tableName: 'SessionData', partitionKey: 'id' });
  const sweeps = { SessionData: { settings, targets: 0, oldestOverdueSeconds: 0, totals: TOTALS } };
  await recordMetrics(
    {
      machine: 'tick',
      executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
      // As long as the execution names that Step Functions makes for Scheduler.
      execution: '12345678-90ab-cdef-1234-567890abcdef_12345678-90ab-cdef-1234-567890abcdef',
      ...{ startedAt: '2026-11-20T09:00:05.000Z', endedAt: '2026-11-20T09:02:00.250Z' },
      soFar: { sweeps, results: [] },
    },
    {
      deployment: 'precise-ttl',
      logger: new Logger({ serviceName: 'record-metrics' }),
      metrics: new Metrics({ namespace: 'PreciseTtl', serviceName: 'record-metrics' }),
      timeIsUp: () => new Promise(() => undefined),
      print: line => {
        metrics += Buffer.byteLength(line);
      },
      journal: new MemoryJournal(() => MINUTE * 1000),
    },
  );
  written.mockRestore();
  return [swept, metrics];
}

test('the calculator knows the bytes of the log lines, to a tenth', async () => {
  const off = (await printedBytes()).flatMap((bytes, line) => {
    const known = Object.values(LOG_BYTES)[line] ?? 0;
    return Math.abs(bytes / known - 1) < 0.1 ? [] : [{ bytes, known }];
  });
  expect(off).toEqual([]);
});
