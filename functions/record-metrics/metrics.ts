import type { SweepTotals } from '../../statemachine/contract.ts';
import { COUNT_LIST } from '../../statemachine/counts.ts';
import { countAbove, type MetricHistogram, toMetricHistogram } from '../report/lag.ts';

/** A metric of every sweep but a dry run: each count that has one, and what is measured. */
export interface SweepMetric {
  /** CloudWatch name. */
  readonly name: string;
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  readonly help: string;
  /** No datapoint when it is 0. @default false */
  readonly onlyAboveZero?: true;
  readonly value: (totals: SweepTotals, surroundings: SweepSurroundings) => number | MetricHistogram;
}

/** What a metric may depend on besides the totals. */
export interface SweepSurroundings {
  readonly durationMs: number;
  /** Of the table; 60 is the plain mode. */
  readonly precisionSeconds: number;
}

/** Later than what a tick that comes deletes while it keeps up, milliseconds. */
function lateMs({ precisionSeconds }: SweepSurroundings): number {
  return precisionSeconds < 60 ? (precisionSeconds + 10) * 1000 : 120_000;
}

export const SWEEP_METRICS: readonly SweepMetric[] = [
  ...COUNT_LIST.flatMap(([count, { metric, help }]) =>
    metric === undefined ? [] : [{ ...metric, help, value: (totals: SweepTotals) => totals[count] }],
  ),
  {
    name: 'ItemsDeletedLate',
    unit: 'Count',
    help: 'Items deleted later than about `precisionSeconds` plus ten seconds after their expiry (plain mode: two minutes): by a lookback, a reconcile or a replay, or after waiting for capacity.',
    value: (totals, surroundings) => countAbove(totals, lateMs(surroundings)),
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
