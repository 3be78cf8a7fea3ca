import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListMetricsCommand,
  PutMetricAlarmCommand,
} from '@aws-sdk/client-cloudwatch';
import type { AlarmResource } from 'aws-on-loopback/cloudwatch/alarm';
import { LocalCloudWatch, type SeenAlarm } from 'aws-on-loopback/cloudwatch/cloudwatch';
import { serveCloudWatch } from 'aws-on-loopback/cloudwatch/serve-cloudwatch';
import type { LocalService } from 'aws-on-loopback/service';
import type { Execution } from 'stepfunctions-emulator';
import { VirtualClock } from 'stepfunctions-emulator';
import { describeAlarm } from '../../../cli/local-lines.ts';
import { deploymentMetrics } from '../../../functions/runtime/deployment-metric.ts';
import { synthesizedCloud } from '../../../local/stack/synthesized.ts';
import { plainStack } from '../../../stacks/plain-stack.ts';
import { notPrinted } from '../../runbook/played-cloud.ts';
import { configOf } from '../../support/configs.ts';

const START = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-Sessions';

function alarm(name: string, over: Partial<AlarmResource> = {}): AlarmResource {
  return {
    address: `aws_cloudwatch_metric_alarm.${name}`,
    name,
    arn: `arn:aws:cloudwatch:us-east-1:123456789012:alarm:${name}`,
    region: 'us-east-1',
    namespace: 'AWS/States',
    metricName: 'ExecutionsSucceeded',
    dimensions: { StateMachineArn: MACHINE },
    statistic: 'Sum',
    period: 60,
    evaluationPeriods: 5,
    datapointsToAlarm: 5,
    threshold: 1,
    comparison: 'LessThanThreshold',
    treatMissingData: 'breaching',
    alarmActions: [],
    okActions: [],
    ...over,
  };
}

const NO_SWEEP = alarm('sessions-no-sweep');
const DEAD_LETTERS = alarm('sessions-dead-letters', {
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  dimensions: { QueueName: 'sessions-dead-letters' },
  statistic: 'Maximum',
  evaluationPeriods: 1,
  datapointsToAlarm: 1,
  comparison: 'GreaterThanOrEqualToThreshold',
  treatMissingData: 'notBreaching',
});

/** A line as record-metrics prints it, with a histogram. */
const LINE = JSON.stringify({
  _aws: {
    Timestamp: 1,
    CloudWatchMetrics: [
      {
        Namespace: 'PreciseTtl',
        Dimensions: [['service', 'TableName']],
        Metrics: [
          { Name: 'ItemsDeleted', Unit: 'Count' },
          { Name: 'DeletionLag', Unit: 'Milliseconds' },
        ],
      },
    ],
  },
  service: 'record-metrics',
  TableName: 'Sessions',
  ItemsDeleted: 100,
  DeletionLag: { Values: [16, 1000, 5000], Counts: [98, 1, 1], Min: 16, Max: 5000, Count: 100, Sum: 7568 },
});

const execution = (status: string, startDate: number, stopDate: number) =>
  ({ machine: { arn: MACHINE }, status, startDate, stopDate }) as unknown as Execution;

function local(alarms: readonly AlarmResource[], queues: readonly string[] = []) {
  const clock = new VirtualClock(START);
  const changes: string[] = [];
  const onAlarm = ({ alarm: { name }, state, since }: SeenAlarm) => {
    changes.push(`${name} ${state} after ${(since - START) / MINUTE} min`);
  };
  const cloudWatch = new LocalCloudWatch({ clock, alarms, queues, onAlarm });
  return { clock, changes, cloudWatch };
}

describe('the alarm of missing sweeps, as it is deployed', () => {
  const { alarms } = synthesizedCloud(plainStack(configOf({ tableName: 'Tab', partitionKey: 'id' })));
  const noSweep = alarms.find(({ name }) => name.endsWith('-no-sweep'));
  if (noSweep === undefined) throw new Error('there is no such alarm');
  const name = noSweep.name;

  /** A sweep that succeeds in each of these minutes, after the alarm was made. */
  async function sweepsIn(minutes: readonly number[], until: number) {
    const { clock, changes, cloudWatch } = local([noSweep as AlarmResource]);
    const arn = noSweep?.dimensions['StateMachineArn'];
    cloudWatch.start();
    // The alarm is made in the middle of a minute.
    await clock.sleep(MINUTE / 2);
    for (let minute = 0; minute < until; minute += 1) {
      if (minutes.includes(minute)) {
        const ended = {
          machine: { arn },
          status: 'SUCCEEDED',
          startDate: clock.now(),
          stopDate: clock.now(),
        };
        cloudWatch.executionEnded(ended as unknown as Execution);
      }
      await clock.sleep(MINUTE);
    }
    cloudWatch.stop();
    return {
      changes: changes.map(change => change.replace(`${name} `, '')),
      state: cloudWatch.alarms[0]?.state,
    };
  }
  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_unused, index) => from + index);

  test.each([0, 1, 2, 3])(
    'does not sound while the first sweep takes %i minutes, or ever before it',
    async first => {
      expect(await sweepsIn(range(first, 15), 15)).toEqual({ changes: [], state: 'OK' });
      expect(await sweepsIn([], 30)).toEqual({ changes: [], state: 'INSUFFICIENT_DATA' });
    },
  );

  test('sounds five to six minutes after the last success, and goes on for hours', async () => {
    expect(await sweepsIn(range(0, 10), 300)).toEqual({ changes: ['ALARM after 15 min'], state: 'ALARM' });
    expect(await sweepsIn([0], 20)).toEqual({ changes: ['ALARM after 6 min'], state: 'ALARM' });
  });

  test('does not sound for a pause of four minutes, and sounds for one of ten until sweeps succeed again', async () => {
    expect(await sweepsIn([...range(0, 10), ...range(14, 30)], 30)).toEqual({ changes: [], state: 'OK' });
    const { changes, state } = await sweepsIn([...range(0, 10), ...range(20, 40)], 40);
    expect([changes[0], state]).toEqual(['ALARM after 15 min', 'OK']);
    // While the span behind it is the silent one, it goes on: five minutes more at the most.
    expect(changes.slice(1)).toEqual([expect.stringMatching(/^OK after 2[1-6] min$/)]);
    expect((await sweepsIn([...range(0, 10), ...range(60, 80)], 80)).changes).toEqual([
      'ALARM after 15 min',
      'OK after 61 min',
    ]);
  });
});

test('a message that lies in a queue is counted every minute', async () => {
  const { clock, changes, cloudWatch } = local([DEAD_LETTERS], ['sessions-dead-letters']);
  cloudWatch.start();
  await clock.sleep(2 * MINUTE + 1);
  expect(cloudWatch.alarms[0]?.state).toBe('OK');
  cloudWatch.addMessage('sessions-dead-letters');
  await clock.sleep(MINUTE);
  expect(changes).toEqual(['sessions-dead-letters ALARM after 3 min']);
  cloudWatch.stop();
});

/** An alarm's clock that goes on keeps jest from ending. */
let cleanUp = () => {};
afterEach(() => cleanUp());

test('the alarm of the pipes sounds for what is an hour late, as the runbook shows it, and ends with it', async () => {
  const { alarms } = synthesizedCloud(
    plainStack(
      configOf({
        tableName: 'Tab',
        partitionKey: 'id',
        events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
      }),
    ),
  );
  const clock = new VirtualClock(START);
  const printed: string[] = [];
  const cloudWatch = new LocalCloudWatch({
    ...{ clock, queues: [] },
    alarms: alarms.filter(({ name }) => name === 'precise-ttl-pipes-behind'),
    onAlarm: seen => printed.push(describeAlarm(seen)),
  });
  const record = deploymentMetrics({
    ...{ namespace: 'PreciseTtl', deployment: 'precise-ttl', clock: () => clock.now() },
    print: line => cloudWatch.addLine(line),
  });
  cloudWatch.start();
  cleanUp = () => cloudWatch.stop();
  record('ExpiryAge', 3599);
  await clock.sleep(10 * MINUTE);
  expect(printed).toEqual([]);
  record('ExpiryAge', 3600);
  await clock.sleep(MINUTE + 1);
  expect(printed).toHaveLength(1);
  expect(notPrinted('pipes-behind', printed)).toEqual([]);
  await clock.sleep(16 * MINUTE);
  expect(printed).toHaveLength(2);
  expect(cloudWatch.alarms.map(({ state }) => state)).toEqual(['OK']);
});

describe('the API, asked by the SDK', () => {
  let server: LocalService;
  let client: CloudWatchClient;
  beforeAll(async () => {
    const { cloudWatch, clock } = local([NO_SWEEP, DEAD_LETTERS], ['sessions-dead-letters']);
    cloudWatch.start();
    cloudWatch.addLine('not JSON, "CloudWatchMetrics"');
    cloudWatch.addLine(LINE);
    await clock.sleep(MINUTE);
    cloudWatch.addLine(LINE);
    cloudWatch.executionEnded(execution('FAILED', START, START + 90_000));
    await clock.sleep(MINUTE);
    cloudWatch.stop();
    server = await serveCloudWatch(cloudWatch, undefined);
    client = new CloudWatchClient({
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  test('DescribeAlarms, by prefix and by state', async () => {
    const { MetricAlarms: all = [] } = await client.send(
      new DescribeAlarmsCommand({ AlarmNamePrefix: 'sessions-' }),
    );
    expect(all.map(({ AlarmName, StateValue }) => [AlarmName, StateValue])).toEqual([
      ['sessions-dead-letters', 'OK'],
      ['sessions-no-sweep', 'ALARM'],
    ]);
    expect(all[1]).toMatchObject({
      AlarmArn: NO_SWEEP.arn,
      Threshold: 1,
      TreatMissingData: 'breaching',
      StateUpdatedTimestamp: new Date(START + MINUTE),
      StateReason: 'Threshold crossed: 0 of 0 datapoints below 1; 5 missing, treated as breaching.',
    });
    const { MetricAlarms: one = [], NextToken } = await client.send(
      new DescribeAlarmsCommand({ StateValue: 'ALARM', MaxRecords: 1 }),
    );
    expect([one.map(({ AlarmName }) => AlarmName), NextToken]).toEqual([['sessions-no-sweep'], undefined]);
  });

  const deletionLag = {
    Namespace: 'PreciseTtl',
    MetricName: 'DeletionLag',
    Dimensions: [
      { Name: 'service', Value: 'record-metrics' },
      { Name: 'TableName', Value: 'Sessions' },
    ],
  };
  const span = { StartTime: new Date(START), EndTime: new Date(START + 5 * MINUTE) };

  test('GetMetricData: the percentile of a histogram, minute by minute', async () => {
    const { MetricDataResults = [] } = await client.send(
      new GetMetricDataCommand({
        ...span,
        ScanBy: 'TimestampAscending',
        MetricDataQueries: [{ Id: 'lag', MetricStat: { Metric: deletionLag, Period: 60, Stat: 'p99' } }],
      }),
    );
    expect(MetricDataResults[0]).toMatchObject({
      Id: 'lag',
      Timestamps: [new Date(START), new Date(START + MINUTE)],
      Values: [1000, 1000],
    });
  });

  test('GetMetricStatistics: of both minutes together', async () => {
    const { Datapoints = [] } = await client.send(
      new GetMetricStatisticsCommand({
        ...deletionLag,
        ...span,
        Period: 300,
        Statistics: ['SampleCount', 'Maximum', 'Minimum', 'Sum', 'Average'],
        ExtendedStatistics: ['p50'],
      }),
    );
    expect(Datapoints).toEqual([
      expect.objectContaining({
        Timestamp: new Date(START),
        SampleCount: 200,
        Maximum: 5000,
        Minimum: 16,
        Sum: 2 * 7568,
        Average: 75.68,
        ExtendedStatistics: { p50: 16 },
      }),
    ]);
  });

  test('ListMetrics: what was measured', async () => {
    const { Metrics = [] } = await client.send(new ListMetricsCommand({ Namespace: 'AWS/States' }));
    expect(Metrics).toEqual([
      {
        Namespace: 'AWS/States',
        MetricName: 'ExecutionsFailed',
        Dimensions: [{ Name: 'StateMachineArn', Value: MACHINE }],
      },
      {
        Namespace: 'AWS/States',
        MetricName: 'ExecutionTime',
        Dimensions: [{ Name: 'StateMachineArn', Value: MACHINE }],
      },
    ]);
    const byTable = new ListMetricsCommand({ Dimensions: [{ Name: 'TableName', Value: 'Sessions' }] });
    expect((await client.send(byTable)).Metrics).toHaveLength(2);
  });

  test('what is not answered says so: other operations, other fields, other protocols, other hosts', async () => {
    await expect(
      client.send(
        new PutMetricAlarmCommand({
          AlarmName: 'a',
          EvaluationPeriods: 1,
          ComparisonOperator: 'GreaterThanThreshold',
        }),
      ),
    ).rejects.toThrow(
      /one of DescribeAlarms, GetMetricData, .*got "GraniteServiceVersion20100801.PutMetricAlarm"/,
    );
    await expect(client.send(new DescribeAlarmsCommand({ ActionPrefix: 'arn' }))).rejects.toThrow(
      /^ActionPrefix: expected one of AlarmNames/,
    );
    await expect(
      client.send(
        new GetMetricDataCommand({
          ...span,
          MetricDataQueries: [{ Id: 'lag', MetricStat: { Metric: deletionLag, Period: 10, Stat: 'p99' } }],
        }),
      ),
    ).rejects.toThrow('Period: expected a multiple of 60 seconds, got 10');
    const query = await fetch(server.endpoint, { method: 'POST', body: 'Action=DescribeAlarms' });
    expect([query.status, await query.text()]).toEqual([400, expect.stringContaining('in AWS JSON')]);
  });
});
