import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { IndexedBy } from '../../expiry/model.ts';
import { MissingPermissionError } from '../errors.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { readTableMetric } from '../table/metrics.ts';
import type { Sample } from '../table/sample.ts';

/** The options that were given. */
export interface Wish {
  /** @default that of native TTL, or the attribute that a sample of the items suggests */
  readonly ttlAttribute: string | undefined;
  readonly indexedBy: IndexedBy;
  /** @default an existing index with these keys, or the default name of `config/props.ts` */
  readonly indexName: string | undefined;
  /** Units per second of a provisioned table's index. @default a share of the table's */
  readonly indexReadUnits: number | undefined;
  readonly indexWriteUnits: number | undefined;
  /** Shows hashes instead of keys. */
  readonly mask?: boolean;
  /** Deletes per second of expired items at the end of the adoption. @default the user is asked */
  readonly deleteExpired?: number | undefined;
}

/** Writes to the table, as CloudWatch counts them. */
export type Writes =
  | {
      /** Mean write units per second of the last day. */
      readonly unitsPerSecond: number;
      /** Mean of the busiest hour of that day. */
      readonly busiestHour: number;
    }
  | { readonly unknown: string };

/** All facts about the table that were read. */
export interface Reading {
  readonly region: string;
  readonly table: DescribedTable;
  readonly sample: Sample;
  readonly writes: Writes;
  /** Epoch seconds. */
  readonly now: number;
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/**
 * Reads the writes to a table in the last day. The adoption works without them, so an error is part of the result.
 *
 * @param now epoch milliseconds
 */
export async function readWrites(client: CloudWatchClient, tableName: string, now: number): Promise<Writes> {
  try {
    const end = Math.floor(now / 1000 / HOUR_SECONDS) * HOUR_SECONDS;
    const hours = await readTableMetric(client, {
      metric: 'ConsumedWriteCapacityUnits',
      dimensions: { TableName: tableName },
      statistic: 'Sum',
      periodSeconds: HOUR_SECONDS,
      from: end - DAY_SECONDS,
      to: end,
    });
    const sum = hours.reduce((total, hour) => total + hour, 0);
    return { unitsPerSecond: sum / DAY_SECONDS, busiestHour: Math.max(0, ...hours) / HOUR_SECONDS };
  } catch (error) {
    if (error instanceof MissingPermissionError) {
      return { unknown: `${error.action} on ${error.resource} is not allowed` };
    }
    return { unknown: `CloudWatch: ${(error as Error).message}` };
  }
}

/**
 * The built part of an index, 0 to 1; undefined if CloudWatch has no value or can't be read. CloudWatch has one value a minute,
 * and not for every index.
 *
 * @param now epoch milliseconds
 */
export async function readIndexProgress(
  client: CloudWatchClient,
  tableName: string,
  indexName: string,
  now: number,
): Promise<number | undefined> {
  try {
    const percents = await readTableMetric(client, {
      metric: 'OnlineIndexPercentageProgress',
      dimensions: { TableName: tableName, GlobalSecondaryIndexName: indexName },
      statistic: 'Maximum',
      periodSeconds: 60,
      from: Math.floor(now / 1000) - 600,
      to: Math.floor(now / 1000),
    });
    const [latest] = percents;
    return latest === undefined ? undefined : Math.min(1, latest / 100);
  } catch {
    return undefined;
  }
}
