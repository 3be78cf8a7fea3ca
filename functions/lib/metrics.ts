import type { SweepReport } from '../../statemachine/contract.ts';

/** A metric that every sweep records; the docs' table and the dashboards are made from the same list. */
export interface SweepMetric {
  /** CloudWatch name. */
  readonly name: string;
  readonly unit: 'Count' | 'Milliseconds';
  readonly help: string;
  readonly value: (report: SweepReport, durationMs: number) => number;
}

export const SWEEP_METRICS: readonly SweepMetric[] = [
  {
    name: 'ItemsFound',
    unit: 'Count',
    help: 'Index entries found expired.',
    value: report => report.found,
  },
  {
    name: 'ItemsDeleted',
    unit: 'Count',
    help: 'Expired items deleted by this sweep.',
    value: report => report.deleted,
  },
  {
    name: 'ItemsRenewed',
    unit: 'Count',
    help: 'Items found expired that were not any more at the delete, and stay (guarded mode).',
    value: report => report.renewed,
  },
  {
    name: 'ItemsAlreadyGone',
    unit: 'Count',
    help: 'Items that somebody else had deleted between the query and the delete (guarded mode).',
    value: report => report.alreadyGone,
  },
  {
    name: 'ItemsFailed',
    unit: 'Count',
    help: 'Expired items that could not be deleted. Above 0 the execution fails.',
    value: report => report.failed,
  },
  {
    name: 'ChunkRetries',
    unit: 'Count',
    help: 'Further attempts at chunks with unprocessed keys: how much DynamoDB throttles.',
    value: report => report.retries,
  },
  {
    name: 'ShardsSwept',
    unit: 'Count',
    help: '(window, shard) pairs that were swept.',
    value: report => report.shardsSwept,
  },
  {
    name: 'ShardsFailed',
    unit: 'Count',
    help: '(window, shard) pairs whose child execution crashed or timed out. Above 0 the execution fails.',
    value: report => report.shardsFailed,
  },
  {
    name: 'SweepDuration',
    unit: 'Milliseconds',
    help: 'From the start of the execution to the recording of its metrics.',
    value: (_report, durationMs) => durationMs,
  },
];
