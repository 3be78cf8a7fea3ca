import type { SweepTotals } from '../../statemachine/contract.ts';
import { countAbove, type MetricHistogram, toMetricHistogram } from '../report/lag.ts';

/** A metric of every sweep but a dry run. A test holds the README's table against the list of them. */
export interface SweepMetric {
  /** CloudWatch name. */
  readonly name: string;
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  readonly help: string;
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
  {
    name: 'ItemsFound',
    unit: 'Count',
    help: 'Index entries found expired.',
    value: totals => totals.found,
  },
  {
    name: 'ItemsDeleted',
    unit: 'Count',
    help: 'Expired items deleted by this sweep.',
    value: totals => totals.deleted,
  },
  {
    name: 'ItemsRenewed',
    unit: 'Count',
    help: 'Items that were found expired but had been renewed by the time of the delete; they stay (guarded mode).',
    value: totals => totals.renewed,
  },
  {
    name: 'ItemsNotFound',
    unit: 'Count',
    help: 'Items that no longer existed at the delete: somebody else had deleted them, or an earlier call whose answer was lost (guarded mode).',
    value: totals => totals.notFound,
  },
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
    name: 'OldestOverdue',
    unit: 'Seconds',
    help: 'How long the oldest item that earlier sweeps left was overdue when this one began.',
    value: totals => totals.oldestOverdueSeconds,
  },
  {
    name: 'ItemsFailed',
    unit: 'Count',
    help: 'Expired items that could not be deleted. Above 0 the execution fails.',
    value: totals => totals.failed,
  },
  {
    name: 'ChunkRetries',
    unit: 'Count',
    help: 'Repeated calls for chunks with unprocessed keys: a measure of how much DynamoDB throttles.',
    value: totals => totals.retries,
  },
  {
    name: 'ShardsSwept',
    unit: 'Count',
    help: 'Children that finished: one per shard for the upcoming minute, one per window and shard of the lookback.',
    value: totals => totals.shardsSwept,
  },
  {
    name: 'ShardsFailed',
    unit: 'Count',
    help: 'Children that were interrupted, crashed or timed out. Above 0 the execution fails.',
    value: totals => totals.shardsFailed,
  },
  {
    name: 'SweepDuration',
    unit: 'Milliseconds',
    help: 'From the start of the execution to the recording of its metrics.',
    value: (_totals, { durationMs }) => durationMs,
  },
];
