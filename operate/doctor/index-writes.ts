import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { adviseShards, NEW_TABLE_UNITS } from '../../expiry/partition-rule.ts';
import { type Checked, check } from '../deployment/check.ts';
import type { Subject } from '../deployment/subject.ts';
import { readTableMetric } from '../table/metrics.ts';
import { type Finding, finding } from './finding.ts';
import type { TableShape } from './table-findings.ts';

const MINUTE = 60;
const DAY = 86_400;

/** Writes of the last day. */
export interface IndexWrites {
  /** Write units a second in the busiest minute; 0 when nothing was written. */
  readonly busiestMinute: number;
  /** Writes that were refused because the index had no room for them. */
  readonly throttled: number;
}

/** Reads CloudWatch's counts for the index. @param now epoch milliseconds */
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
 * Whether the shards are enough for what is written to the index. The metric does not tell puts from deletes: what is put is deleted,
 * sooner or later. It is no proof: what is consumed is never more than DynamoDB takes, and a replay writes to many windows at once.
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
