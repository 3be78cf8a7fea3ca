import { TASKS } from '../../statemachine/contract/machines.ts';
import type { SweepTotals } from '../../statemachine/contract/report.ts';
import { COUNT_LIST, type COUNTS, type CountName } from '../../statemachine/counts.ts';
import { type MetricHistogram, toMetricHistogram } from '../report/lag.ts';
import type { MetricSet } from '../runtime/environment.ts';

/** The names of the counts that are metrics. */
type CountMetricName = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { metric: { name: infer Metric } } ? Metric : never;
}[CountName];

/** CloudWatch names of what a sweep records. */
export type SweepMetricName = CountMetricName | 'ItemsDeletedLate' | 'DeletionLag' | 'SweepDuration';

/**
 * The dimensions of every metric besides `Deployment`, and `TableName` where it is asked for: Powertools' `service` is the name of the
 * function.
 */
export const METRIC_DIMENSIONS = { service: TASKS.RecordMetrics } as const;

/** A metric of every sweep but a dry run: each count that has one, and what is measured. */
export interface SweepMetric {
  readonly name: SweepMetricName;
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  readonly help: string;
  /** No datapoint when it is 0. @default false */
  readonly onlyAboveZero?: true;
  /** It is recorded with `metrics: 'essential'`, too: nothing that AWS records for free says it. @default false */
  readonly isEssential?: true;
  readonly value: (totals: SweepTotals, surroundings: SweepSurroundings) => number | MetricHistogram;
}

/** Settings that a metric may depend on besides the totals. */
export interface SweepSurroundings {
  readonly durationMs: number;
  /** Items that were deleted later than {@link lateMs}. */
  readonly late: number;
}

/**
 * When a deletion is late: so many seconds more than `precisionSeconds`; in the plain mode, whose `precisionSeconds` is `plainSeconds`,
 * after `plainMs`.
 */
export const LATE = { secondsMore: 10, plainMs: 120_000, plainSeconds: 60 } as const;

/** Later than what a tick that comes deletes while it keeps up, milliseconds. */
export function lateMs({ precisionSeconds }: { readonly precisionSeconds: number }): number {
  return precisionSeconds < LATE.plainSeconds ? (precisionSeconds + LATE.secondsMore) * 1000 : LATE.plainMs;
}

export const SWEEP_METRICS: readonly SweepMetric[] = [
  ...COUNT_LIST.flatMap(([count, { metric, help }]) =>
    metric === undefined
      ? []
      : [
          {
            ...metric,
            name: metric.name as CountMetricName,
            help,
            value: (totals: SweepTotals) => totals[count],
          },
        ],
  ),
  {
    name: 'ItemsDeletedLate',
    unit: 'Count',
    help: 'Items deleted later than about `precisionSeconds` plus ten seconds after their expiry (plain mode: two minutes): by a lookback, a scan of the index or a replay, or after waiting for capacity.',
    value: (_totals, { late }) => late,
  },
  {
    name: 'DeletionLag',
    unit: 'Milliseconds',
    help: 'Moment of deletion minus TTL, of every deleted item: a histogram, so percentiles work.',
    isEssential: true,
    value: toMetricHistogram,
  },
  {
    name: 'SweepDuration',
    unit: 'Milliseconds',
    help: 'From the start of the execution to the recording of its metrics.',
    value: (_totals, { durationMs }) => durationMs,
  },
];

/** Those that are recorded by what the prop `metrics` says. */
export function recordedMetrics(metrics: MetricSet): readonly SweepMetric[] {
  return SWEEP_METRICS.filter(({ isEssential }) => metrics === 'all' || isEssential);
}
