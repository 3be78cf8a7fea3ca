import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { adviseShards, NEW_TABLE_UNITS } from '../../expiry/partition-rule.ts';
import { type Checked, check } from '../deployment/check.ts';
import type { Subject } from '../deployment/subject.ts';
import { readTableMetric } from '../table/metrics.ts';
import { type Finding, finding } from './finding.ts';
import type { TableShape } from './table-findings.ts';

const MINUTE = 60;
const DAY = 86_400;

/** Writes to the index in the last day. */
export interface IndexWrites {
  /** Write units per second in the busiest minute; 0 if there were no writes. */
  readonly busiestMinute: number;
  /** Writes that were throttled because of the index. */
  readonly throttled: number;
}

/** Reads CloudWatch's metrics of the index. @param now epoch milliseconds */
export function observeIndexWrites(
  cloudWatch: CloudWatchClient,
  { props: { tableName, indexName } }: Subject,
  now: number,
): Promise<Checked<IndexWrites>> {
  const to = Math.floor(now / 1000 / MINUTE) * MINUTE;
  const minutes = (metric: string) =>
    readTableMetric(cloudWatch, {
      ...{ metric, statistic: 'Sum', periodSeconds: MINUTE, from: to - DAY, to },
      dimensions: { TableName: tableName, GlobalSecondaryIndexName: indexName },
    });
  return check('cloudwatch:GetMetricData', '*', async () => {
    const [units, throttled] = await Promise.all([
      minutes('ConsumedWriteCapacityUnits'),
      minutes('WriteThrottleEvents'),
    ]);
    return {
      busiestMinute: units.reduce((most, each) => Math.max(most, each), 0) / MINUTE,
      throttled: throttled.reduce((sum, each) => sum + each, 0),
    };
  });
}

/**
 * Checks whether the shards are sufficient for the writes to the index. The metric does not separate puts from deletes; every
 * entry that is put is also deleted later. The result is not certain: throttled writes are not counted, and a replay writes to
 * many windows at the same time.
 */
export function shardFindings(
  { busiestMinute, throttled }: IndexWrites,
  table: TableShape,
  subject: Subject,
): Finding[] {
  const { props } = subject;
  const index = table.indexes.find(({ name }) => name === props.indexName);
  const { verdict, shards, warmUnits } = adviseShards({
    ...props,
    putsPerSecond: busiestMinute / 2,
    deletesPerSecond: busiestMinute / 2,
    warmUnits: index?.warmThroughput?.writeUnits,
  });
  if (verdict === 'holds') return [];
  const text = (amount: number) => Math.round(amount).toLocaleString('en-US');
  const detail = [
    `${text(busiestMinute)} write units a second in the busiest minute of the last day, on ${props.shards} shard${props.shards === 1 ? '' : 's'}`,
    ...(throttled === 0 ? [] : [`${text(throttled)} writes throttled in that day`]),
  ].join('; ');
  const tableIsCold = (table.warmThroughput?.writeUnits ?? NEW_TABLE_UNITS) < warmUnits;
  return [finding('shards-few', subject, { detail, values: { shards, warmUnits, tableIsCold } })];
}
