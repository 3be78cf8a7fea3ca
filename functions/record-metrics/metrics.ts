import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { EmfOutput } from '@aws-lambda-powertools/metrics/types';
import { TASKS } from '../../statemachine/contract/machines.ts';
import type { SweepTotals } from '../../statemachine/contract/report.ts';
import { COUNT_LIST, type COUNTS, type CountName } from '../../statemachine/counts.ts';
import { type MetricHistogram, toMetricHistogram } from '../report/lag.ts';

/** The names of the counts that are metrics. */
type CountMetricName = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { metric: { name: infer Metric } } ? Metric : never;
}[CountName];

/** CloudWatch names of what a sweep records. */
type SweepMetricName = CountMetricName | 'ItemsDeletedLate' | 'DeletionLag' | 'SweepDuration';

/** The namespace of the metrics in CloudWatch. */
export const METRICS_NAMESPACE = 'PreciseTtl';

/**
 * The dimensions of every metric in addition to `Deployment`: Powertools' `service` is the name of the
 * function.
 */
export const METRIC_DIMENSIONS = { service: TASKS.RecordMetrics } as const;

/** A metric of every sweep except a dry run: either a count or a measured value. */
export interface SweepMetric {
  readonly name: SweepMetricName;
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  readonly help: string;
  /** Whether a value of 0 gives no datapoint. @default false */
  readonly onlyAboveZero?: true;
  readonly value: (totals: SweepTotals, surroundings: SweepSurroundings) => number | MetricHistogram;
}

/** Values that a metric may depend on in addition to the totals. */
interface SweepSurroundings {
  readonly durationMs: number;
  /** Items that were deleted later than {@link lateMs}. */
  readonly late: number;
}

/**
 * Lag in milliseconds above which a deletion counts as late: a tick that keeps up stays below it. Settings that cannot be read count as
 * those of a second.
 */
export function lateMs({ precision }: { readonly precision?: unknown }): number {
  return precision === 'minute' ? 120_000 : 11_000;
}

export const SWEEP_METRICS: readonly SweepMetric[] = [
  ...COUNT_LIST.flatMap(([count, { metric, help }]) => {
    if (metric === undefined) return [];
    const name = metric.name as CountMetricName;
    return [{ ...metric, name, help, value: (totals: SweepTotals) => totals[count] }];
  }),
  {
    name: 'ItemsDeletedLate',
    unit: 'Count',
    help: "Items deleted more than 11 seconds after their expiry (`precision: 'minute'`: two minutes): by a lookback or a replay, or after waiting for capacity.",
    value: (_totals, { late }) => late,
  },
  {
    name: 'DeletionLag',
    unit: 'Milliseconds',
    help: 'Moment of deletion minus TTL, of every deleted item: a histogram, so percentiles work.',
    value: toMetricHistogram,
  },
  {
    name: 'SweepDuration',
    unit: 'Milliseconds',
    help: 'From the start of the execution to the recording of its metrics.',
    value: (_totals, { durationMs }) => durationMs,
  },
];

/**
 * The line of metrics of a sweep. Powertools makes the document. Histograms are added here, since Powertools takes only numbers, while the
 * format also allows `{Values, Counts, Min, Max, Count, Sum}`.
 *
 * @returns undefined when there is nothing to record
 */
export function embeddedMetrics(
  metrics: Metrics,
  dimensions: Readonly<Record<string, string>>,
  totals: SweepTotals,
  surroundings: SweepSurroundings,
): EmfOutput | undefined {
  metrics.addDimensions({ ...dimensions });
  const histograms: Record<string, unknown> = {};
  for (const { name, unit, value, onlyAboveZero = false } of SWEEP_METRICS) {
    const measured = value(totals, surroundings);
    if (typeof measured === 'number') {
      if (measured > 0 || !onlyAboveZero) metrics.addMetric(name, unit, measured);
    } else if (measured.Count > 0) {
      metrics.addMetric(name, unit, measured.Max);
      histograms[name] = measured;
    }
  }
  // Powertools warns about a document without metrics.
  const document = metrics.hasStoredMetrics() ? metrics.serializeMetrics() : undefined;
  metrics.clearMetrics();
  metrics.clearDimensions();
  return document && ({ ...document, ...histograms } as EmfOutput);
}
