import type { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { PreciseTtlProps } from '../../../config/props.ts';
import { observeIndexWrites, shardFindings } from '../../../operate/doctor/table-findings.ts';
import { shapeOf } from '../../../operate/table/describe-table.ts';
import { subjectOf } from './subject.ts';

const NOW = Date.parse('2026-11-20T09:00:30Z');

const table = (warm?: number) =>
  shapeOf({
    TableName: 'T',
    ...(warm === 10_000 && { WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 40_000 } }),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'expirationWindowIndex',
        ...(warm !== undefined && {
          WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: warm },
        }),
      },
    ],
  });

test.each<[string, number, number, Partial<PreciseTtlProps>, number | undefined, string[]]>([
  ['little', 700, 0, {}, undefined, []],
  [
    'too much for one shard',
    1_900,
    312,
    { index: { shards: 1 } },
    undefined,
    [
      'more is written to the index than its shards are good for: 1,900 write units a second in the busiest minute of the last day, on 1 shard; 312 writes throttled in that day',
      'Raise shards to 17 in the configuration, deploy it, and then raise it in the writers. Make the index warm for that: ' +
        'aws dynamodb update-table --table-name T --region us-east-1 --warm-throughput WriteUnitsPerSecond=5000 ' +
        `--global-secondary-index-updates '[{"Update":{"IndexName":"expirationWindowIndex","WarmThroughput":{"WriteUnitsPerSecond":5000}}}]'`,
    ],
  ],
  ['the same on enough', 1_900, 0, { index: { shards: 30 } }, 5_000, []],
  [
    'shards enough, and an index that is too small',
    9_000,
    0,
    { index: { shards: 200 } },
    10_000,
    [
      'more is written to the index than its shards are good for: 9,000 write units a second in the busiest minute of the last day, on 200 shards',
      expect.stringMatching(
        /^Make the index warm for that: aws .*us-east-1 --global-.*"WriteUnitsPerSecond":23000}}}\]'$/,
      ),
    ],
  ],
  [
    'too much by second',
    1_900,
    0,
    { index: { by: 'second' } },
    undefined,
    [expect.stringContaining('on 1 shard'), 'Index the table by window, with shards (docs/use.md).'],
  ],
])('%s', (_case, busiestMinute, throttled, props, warm, expected) => {
  const findings = shardFindings({ busiestMinute, throttled }, table(warm), subjectOf(props));
  expect(findings.flatMap(({ what, remedy }) => [what, remedy])).toEqual(expected);
});

test('the busiest minute of the last day, of the index alone', async () => {
  const asked: GetMetricDataCommand['input'][] = [];
  const values: Readonly<Record<string, number[]>> = {
    ConsumedWriteCapacityUnits: [600, 120_000, 60],
    WriteThrottleEvents: [3, 4],
  };
  const client = {
    send: async ({ input }: GetMetricDataCommand) => {
      asked.push(input);
      const name = input.MetricDataQueries?.[0]?.MetricStat?.Metric?.MetricName ?? '';
      return { MetricDataResults: [{ Values: values[name] }] };
    },
  } as unknown as CloudWatchClient;
  const seen = await observeIndexWrites(client, subjectOf(), NOW);
  expect(seen).toEqual({ seen: { busiestMinute: 2_000, throttled: 7 } });
  expect(asked).toHaveLength(2);
  for (const { StartTime, EndTime, MetricDataQueries } of asked) {
    expect([StartTime, EndTime]).toEqual([
      new Date('2026-11-19T09:00:00Z'),
      new Date('2026-11-20T09:00:00Z'),
    ]);
    expect(MetricDataQueries?.[0]?.MetricStat).toMatchObject({
      Metric: {
        Dimensions: [
          { Name: 'TableName', Value: 'T' },
          { Name: 'GlobalSecondaryIndexName', Value: 'expirationWindowIndex' },
        ],
      },
      Period: 60,
      Stat: 'Sum',
    });
  }
});
