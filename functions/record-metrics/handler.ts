import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { RecordMetricsInput, SweepReport } from '../../statemachine/contract.ts';
import { summarizeLag } from '../report/lag.ts';
import { addRound, reportOf } from '../report/sweep-totals.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { embeddedMetrics } from './embedded-metrics.ts';

/**
 * Adds up a sweep, records it as CloudWatch metrics in the embedded metric format and as a log line, and answers with its
 * report. A dry run is logged only: it deleted nothing.
 *
 * @param print gets the line of metrics
 */
export function recordMetrics(
  { soFar, startedAt, endedAt }: RecordMetricsInput,
  {
    tableName,
    precisionSeconds,
    metrics: metricSet,
  }: Pick<SweepSettings, 'tableName' | 'precisionSeconds' | 'metrics'>,
  logger: Pick<Logger, 'info'>,
  metrics: Metrics,
  print: (line: string) => void,
): SweepReport {
  const durationMs = Date.parse(endedAt) - Date.parse(startedAt);
  const totals = addRound(soFar);
  const report: SweepReport = { ...reportOf(totals), lagMs: summarizeLag(totals) };
  logger.info('swept', { ...report, durationMs });
  if (!totals.dryRun) {
    const surroundings = { durationMs, precisionSeconds };
    const document = embeddedMetrics(metrics, metricSet, tableName, totals, surroundings);
    if (document !== undefined) print(JSON.stringify(document));
  }
  return report;
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

export const handler = async (event: RecordMetricsInput): Promise<SweepReport> =>
  recordMetrics(event, readSettings(process.env), logger, metrics, printLine);
