import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { EmfOutput } from '@aws-lambda-powertools/metrics/types';
import { TASKS } from '../../statemachine/contract/machines.ts';
import type { SweepTotals } from '../../statemachine/contract/report.ts';
import { COUNT_LIST, type COUNTS, type CountName } from '../../statemachine/counts.ts';
import { type MetricHistogram, toMetricHistogram } from '../report/lag.ts';

type CountMetricName = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { metric: { name: infer Metric } } ? Metric : never;
}[CountName];

type SweepMetricName = CountMetricName | 'ItemsDeletedLate' | 'DeletionLag' | 'SweepDuration';

export const METRICS_NAMESPACE = 'PreciseTtl';

/** Dimension of every metric below: the name of the function that records it. Powertools adds this dimension. */
export const METRIC_DIMENSIONS = { service: TASKS.RecordMetrics } as const;

export interface SweepMetric {
  readonly name: SweepMetricName;
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  readonly help: string;
  readonly onlyAboveZero?: true;
  readonly value: (totals: SweepTotals, facts: SweepFacts) => number | MetricHistogram;
}

interface SweepFacts {
  readonly durationMs: number;
  readonly late: number;
}

/** Returns the lag above which a deletion counts as late, milliseconds. */
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

/** Returns a document with the metrics; undefined without metrics. Histograms are added last, because Powertools accepts only numbers. */
export function embeddedMetrics(
  metrics: Metrics,
  dimensions: Readonly<Record<string, string>>,
  totals: SweepTotals,
  facts: SweepFacts,
): EmfOutput | undefined {
  metrics.addDimensions({ ...dimensions });
  const histograms: Record<string, unknown> = {};
  for (const { name, unit, value, onlyAboveZero = false } of SWEEP_METRICS) {
    const measured = value(totals, facts);
    if (typeof measured === 'number') {
      if (measured > 0 || !onlyAboveZero) metrics.addMetric(name, unit, measured);
    } else if (measured.Count > 0) {
      metrics.addMetric(name, unit, measured.Max);
      histograms[name] = measured;
    }
  }
  // Without this condition Powertools would log a warning for a document without metrics.
  const document = metrics.hasStoredMetrics() ? metrics.serializeMetrics() : undefined;
  metrics.clearMetrics();
  metrics.clearDimensions();
  return document && ({ ...document, ...histograms } as EmfOutput);
}
