import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { RecordMetricsInput, RecordMetricsOutput } from '../statemachine/contract.ts';
import { embeddedMetrics } from './lib/embedded-metrics.ts';
import { readSettings, type SweepSettings } from './lib/environment.ts';
import { summarizeLag } from './lib/lag.ts';

/**
 * Records a sweep's outcome as CloudWatch metrics in the embedded metric format, and as a log line. A dry run is logged
 * only: it deleted nothing.
 *
 * @param print gets the line of metrics
 */
export function recordMetrics(
  { totals, startedAt, endedAt }: RecordMetricsInput,
  { tableName, precisionSeconds }: Pick<SweepSettings, 'tableName' | 'precisionSeconds'>,
  logger: Pick<Logger, 'info'>,
  metrics: Metrics,
  print: (line: string) => void,
): RecordMetricsOutput {
  const durationMs = Date.parse(endedAt) - Date.parse(startedAt);
  const { lagCounts, lagMaxMs, ...counts } = totals;
  const lagMs = summarizeLag({ lagCounts, lagMaxMs });
  logger.info('swept', { ...counts, lagMs, durationMs });
  if (!totals.dryRun) {
    print(JSON.stringify(embeddedMetrics(metrics, tableName, totals, { durationMs, precisionSeconds })));
  }
  return { lagMs };
}

// Powertools takes namespace, service and log level from its own environment variables.
const logger = new Logger();
const metrics = new Metrics();

/**
 * Not `console.log`: with JSON logging Lambda wraps what that prints into a document of its own, and CloudWatch finds
 * embedded metrics at the root only.
 */
const printLine = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export const handler = async (event: RecordMetricsInput): Promise<RecordMetricsOutput> =>
  recordMetrics(event, readSettings(process.env), logger, metrics, printLine);
