import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Journal } from '../../../functions/journal/lambda-journal.ts';
import { recordMetrics } from '../../../functions/record-metrics/handler.ts';
import { lagOf } from '../../../functions/report/lag.ts';
import { startTotals } from '../../../functions/report/sweep-totals.ts';
import { carriedSettings } from '../../../functions/runtime/environment.ts';
import { functionSettings, resolveProps } from '../../../stacks/config/props.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import type { SweepTotals } from '../../../statemachine/contract/report.ts';
import { MemoryJournal } from '../../fuzz/memory-journal.ts';

const MINUTE = Date.parse('2026-11-20T09:00:00Z') / 1000;
const STARTED_AT = '2026-11-20T09:00:05.000Z';
const ENDED_AT = '2026-11-20T09:02:00.250Z';

/** Bytes of each line that a sweep prints. Planning prints none. */
export interface LogBytes {
  readonly swept: number;
  readonly metrics: number;
}

/** Totals of a sweep that deleted 100 items in a minute, with about as many lag buckets as a real minute. */
const TOTALS: SweepTotals = {
  ...startTotals(false),
  ...{ found: 100, deleted: 100, shardsSwept: 1 },
  ...lagOf(
    Array.from({ length: 100 }, (_unused, item) => MINUTE + 60 + item / 200),
    (MINUTE + 60.6) * 1000,
  ),
};

const EXECUTION = {
  machine: 'tick',
  executionInput: { scheduledTime: '2026-11-20T09:00:00Z' },
  // As long as the execution names that Step Functions makes for Scheduler.
  execution: '12345678-90ab-cdef-1234-567890abcdef_12345678-90ab-cdef-1234-567890abcdef',
  startedAt: STARTED_AT,
} as const;

/** Prints the log lines with the real functions and logger, as on Lambda, and counts their bytes. */
export async function measureLogBytes(): Promise<LogBytes> {
  // Lambda sets it for every call, and the logger puts it into each line.
  process.env['_X_AMZN_TRACE_ID'] = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';
  const journal: Journal = new MemoryJournal(() => MINUTE * 1000);
  const carried: CarriedSettings = {
    ...carriedSettings(functionSettings(resolveProps({ tableName: 'SessionData', partitionKey: 'id' }))),
  };
  let metrics = 0;
  const logger = new Logger({ serviceName: 'record-metrics' });
  const sweeps = { SessionData: { settings: carried, targets: 0, oldestOverdueSeconds: 0, totals: TOTALS } };
  const swept = await printed(() =>
    recordMetrics(
      { ...EXECUTION, endedAt: ENDED_AT, soFar: { sweeps, results: [] } },
      {
        deployment: 'precise-ttl',
        logger,
        metrics: new Metrics({ namespace: 'PreciseTtl', serviceName: 'record-metrics' }),
        timeIsUp: () => new Promise(() => undefined),
        print: line => {
          metrics += Buffer.byteLength(line);
        },
        journal,
      },
    ),
  );
  return { swept, metrics };
}

/** Counts the bytes written to the output during some work, without line ends, which are not part of a log event. */
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
