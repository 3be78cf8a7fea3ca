import { type CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { permitted } from '../aws/errors.ts';

export interface MetricQuery {
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum';
  readonly periodSeconds: number;
  /** Epoch seconds. */
  readonly from: number;
  readonly to: number;
}

/**
 * Reads the values of a DynamoDB metric, latest first.
 *
 * @throws {MissingPermissionError}
 */
export async function readTableMetric(client: CloudWatchClient, query: MetricQuery): Promise<number[]> {
  const { MetricDataResults = [] } = await permitted('cloudwatch:GetMetricData', '*', () =>
    client.send(
      new GetMetricDataCommand({
        StartTime: new Date(query.from * 1000),
        EndTime: new Date(query.to * 1000),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: [
          {
            Id: 'values',
            MetricStat: {
              Metric: {
                Namespace: 'AWS/DynamoDB',
                MetricName: query.metric,
                Dimensions: Object.entries(query.dimensions).map(([Name, Value]) => ({ Name, Value })),
              },
              Period: query.periodSeconds,
              Stat: query.statistic,
            },
          },
        ],
      }),
    ),
  );
  return MetricDataResults[0]?.Values ?? [];
}
