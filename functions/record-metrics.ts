import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { RecordMetricsInput } from '../statemachine/contract.ts';
import { readSettings } from './lib/environment.ts';
import { SWEEP_METRICS } from './lib/metrics.ts';

/**
 * Records a sweep's outcome as CloudWatch metrics in the embedded metric format, one datapoint a metric, and as a
 * log line. A dry run is logged only: it deleted nothing.
 */
export function recordMetrics(
  { report, startedAt, endedAt }: RecordMetricsInput,
  tableName: string,
  logger: Pick<Logger, 'info'>,
  metrics: Pick<Metrics, 'addDimension' | 'addMetric' | 'publishStoredMetrics'>,
): void {
  const durationMs = Date.parse(endedAt) - Date.parse(startedAt);
  logger.info('swept', { report, durationMs });
  if (report.dryRun) return;
  metrics.addDimension('TableName', tableName);
  for (const { name, unit, value } of SWEEP_METRICS) metrics.addMetric(name, unit, value(report, durationMs));
  metrics.publishStoredMetrics();
}

// Powertools takes namespace, service and log level from its own environment variables.
const logger = new Logger();
const metrics = new Metrics();

export const handler = async (event: RecordMetricsInput): Promise<void> =>
  recordMetrics(event, readSettings(process.env).tableName, logger, metrics);
