import { type CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';

type Metric = readonly [
  key: string,
  namespace: string,
  name: string,
  statistic: 'Sum' | 'Maximum',
  dimensions: Readonly<Record<string, string>>,
];

/** Reads metrics of a span, epoch milliseconds. @param Period seconds per value @returns a function from a metric's key to its values */
export async function readMetrics(
  client: CloudWatchClient,
  metrics: readonly Metric[],
  [from, to]: readonly [number, number],
  Period: number,
): Promise<(key: string) => readonly number[]> {
  // The keys are ids in lower case, because CloudWatch wants an id to begin with a lower-case letter.
  const MetricDataQueries = metrics.map(([key, Namespace, MetricName, Stat, dimensions]) => {
    const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
    const Metric = { Namespace, MetricName, Dimensions };
    return { Id: key.toLowerCase(), MetricStat: { Period, Stat, Metric } };
  });
  const [StartTime, EndTime] = [new Date(from), new Date(to)];
  const command = new GetMetricDataCommand({ StartTime, EndTime, MetricDataQueries });
  const { MetricDataResults = [] } = await client.send(command);
  return key => MetricDataResults.find(({ Id }) => Id === key.toLowerCase())?.Values ?? [];
}
