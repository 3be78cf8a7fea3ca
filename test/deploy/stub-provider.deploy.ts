import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchClient, DescribeAlarmsCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { STUB_PROVIDER } from './stub-provider/build.ts';
import { startPassingOn } from './support/pass-on.ts';
import {
  callProblems,
  describeWithTerraform,
  type EmulatedAws,
  emulatedClient,
  startEmulatedAws,
} from './support/proof.ts';
import { TerraformRoot } from './support/terraform-root.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments by type and name of the resource. */
type Resources = Readonly<Record<string, Readonly<Record<string, Arguments>>>>;

/** What Terraform fills in. */
const reference = (path: string) => `\${${path}}`;

const MACHINE = 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep';
const KEY = 'arn:aws:kms:us-east-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000';

describeWithTerraform('the stub provider', () => {
  let aws: EmulatedAws;
  let root: TerraformRoot;
  let log: string;

  beforeAll(async () => {
    aws = await startEmulatedAws();
  });

  afterAll(() => aws?.stop());

  beforeEach(async () => {
    await aws.reset();
    root = new TerraformRoot(mkdtempSync(join(tmpdir(), 'precise-ttl-stub-')), aws);
    log = join(root.folder, 'calls.jsonl');
    use({});
    await root.succeed(['init', '-input=false']);
  });

  afterEach(() => rmSync(root.folder, { recursive: true, force: true }));

  const use = (resource: Resources, others: object = {}) =>
    writeFileSync(
      join(root.folder, 'main.tf.json'),
      JSON.stringify({
        terraform: { required_providers: { aws: { source: 'hashicorp/aws' } } },
        provider: { aws: { region: 'us-east-1' } },
        ...(Object.keys(resource).length > 0 && { resource }),
        ...others,
      }),
    );

  /** Deploys these resources, which has to leave nothing to do. @returns what was done */
  const deploy = (resource: Resources, others: object = {}) => {
    use(resource, others);
    return root.deploy({ STUB_AWS_LOG: log });
  };

  /** Removes everything, and holds all calls until then against AWS's models of its services. */
  const destroy = async () => {
    await root.succeed(['destroy', '-auto-approve', '-input=false'], { STUB_AWS_LOG: log });
    expect(await root.succeed(['state', 'list'])).toBe('');
    expect(callProblems(log)).toBe('');
  };

  const clientSettings = () => ({
    endpoint: aws.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' },
  });

  test('is formatted as gofmt formats', () => {
    const badly = execFileSync('gofmt', ['-l', '.'], {
      cwd: join(STUB_PROVIDER, 'provider'),
      encoding: 'utf8',
    });
    expect(badly).toBe('');
  });

  test('makes alarms, a dashboard and a topic, edits them in place, imports and removes them', async () => {
    const topic = reference('aws_sns_topic.alarms.arn');
    const alarm = { evaluation_periods: 5, comparison_operator: 'LessThanThreshold', alarm_actions: [topic] };
    const resources = (lag: Arguments, tags: Arguments, title: string): Resources => ({
      aws_sns_topic: { alarms: { name: 'sweeps-alarms', display_name: title, kms_master_key_id: KEY, tags } },
      aws_cloudwatch_metric_alarm: {
        no_sweep: {
          ...alarm,
          alarm_name: 'sweeps-no-sweep',
          alarm_description: 'No sweep has succeeded.',
          namespace: 'AWS/States',
          metric_name: 'ExecutionsSucceeded',
          dimensions: { StateMachineArn: MACHINE },
          statistic: 'Sum',
          period: 60,
          threshold: 1,
          treat_missing_data: 'breaching',
          tags,
        },
        lag: {
          ...alarm,
          alarm_name: 'sweeps-deletion-lag',
          namespace: 'PreciseTtl',
          metric_name: 'DeletionLag',
          extended_statistic: 'p99',
          period: 60,
          comparison_operator: 'GreaterThanThreshold',
          ...lag,
        },
        ratio: {
          ...alarm,
          alarm_name: 'sweeps-ratio',
          threshold: 0.5,
          metric_query: [
            { id: 'ratio', expression: 'failed / all', label: 'Ratio', return_data: true },
            ...['failed', 'all'].map(id => ({
              id,
              metric: [{ namespace: 'PreciseTtl', metric_name: id, period: 60, stat: 'Sum' }],
            })),
          ],
        },
      },
      aws_cloudwatch_dashboard: {
        sweeps: {
          dashboard_name: 'sweeps',
          dashboard_body: JSON.stringify({ widgets: [{ type: 'text', properties: { markdown: title } }] }),
        },
      },
    });
    const first = resources({ threshold: 5 }, { team: 'identity', cost: 'low' }, 'Sweeps');
    use(first);
    await root.succeed(['validate']);
    expect(Object.keys(await deploy(first))).toEqual(['create']);

    const second = resources({ threshold: 2.5, datapoints_to_alarm: 3 }, { team: 'sessions' }, 'All sweeps');
    const { update, ...others } = await deploy(second);
    expect(others).toEqual({});
    expect([...(update ?? [])].sort()).toEqual([
      'aws_cloudwatch_dashboard.sweeps',
      'aws_cloudwatch_metric_alarm.lag',
      'aws_cloudwatch_metric_alarm.no_sweep',
      'aws_sns_topic.alarms',
    ]);
    const cloudWatch = new CloudWatchClient(clientSettings());
    const { MetricAlarms } = await cloudWatch.send(
      new DescribeAlarmsCommand({ AlarmNames: ['sweeps-deletion-lag'] }),
    );
    expect(MetricAlarms).toEqual([
      expect.objectContaining({ Threshold: 2.5, DatapointsToAlarm: 3, ExtendedStatistic: 'p99' }),
    ]);

    const imported = {
      'aws_sns_topic.alarms': 'arn:aws:sns:us-east-1:123456789012:sweeps-alarms',
      'aws_cloudwatch_dashboard.sweeps': 'sweeps',
      'aws_cloudwatch_metric_alarm.lag': 'sweeps-deletion-lag',
      'aws_cloudwatch_metric_alarm.no_sweep': 'sweeps-no-sweep',
    };
    await root.succeed(['state', 'rm', ...Object.keys(imported)]);
    const blocks = Object.entries(imported).map(([to, id]) => ({ to, id }));
    expect(await deploy(second, { import: blocks })).toEqual({});

    // What somebody changes beside Terraform shows in the plan.
    await cloudWatch.send(
      new PutMetricAlarmCommand({
        AlarmName: 'sweeps-deletion-lag',
        Namespace: 'PreciseTtl',
        MetricName: 'DeletionLag',
        ExtendedStatistic: 'p99',
        Period: 60,
        EvaluationPeriods: 5,
        DatapointsToAlarm: 3,
        ComparisonOperator: 'GreaterThanThreshold',
        Threshold: 60,
        AlarmActions: ['arn:aws:sns:us-east-1:123456789012:sweeps-alarms'],
      }),
    );
    cloudWatch.destroy();
    expect(await root.plan()).toEqual({ update: ['aws_cloudwatch_metric_alarm.lag'] });
    await destroy();
  });

  describe('of tables', () => {
    let client: DynamoDBClient;

    beforeAll(() => {
      client = emulatedClient(aws);
    });

    afterAll(() => client?.destroy());

    const described = async () => {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: 'Tokens' }));
      return Table;
    };

    const table = (changes: Arguments, index: Arguments = {}): Resources => ({
      aws_dynamodb_table: {
        tokens: {
          name: 'Tokens',
          hash_key: 'id',
          attribute: ['id', 'window'].map(name => ({ name, type: 'S' })),
          global_secondary_index: [
            { name: 'byWindow', hash_key: 'window', projection_type: 'KEYS_ONLY', ...index },
          ],
          ...changes,
        },
      },
    });

    test('provisions, encrypts and streams, changes what it can in place, and knows what it cannot', async () => {
      const settings = (units: number, warm: number): Arguments => ({
        billing_mode: 'PROVISIONED',
        read_capacity: units,
        write_capacity: units,
        warm_throughput: { read_units_per_second: warm, write_units_per_second: warm },
        server_side_encryption: { enabled: true, kms_key_arn: KEY },
        point_in_time_recovery: { enabled: true, recovery_period_in_days: 7 },
      });
      const provisioned = { read_capacity: 3, write_capacity: 3 };
      expect(Object.keys(await deploy(table(settings(5, 15_000), provisioned)))).toEqual(['create']);
      expect(await described()).toMatchObject({
        BillingModeSummary: { BillingMode: 'PROVISIONED' },
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
        WarmThroughput: { ReadUnitsPerSecond: 15_000 },
        SSEDescription: { KMSMasterKeyArn: KEY },
        GlobalSecondaryIndexes: [{ ProvisionedThroughput: { ReadCapacityUnits: 3 } }],
      });

      const grown = {
        ...settings(10, 20_000),
        stream_enabled: true,
        stream_view_type: 'OLD_IMAGE',
        table_class: 'STANDARD_INFREQUENT_ACCESS',
        point_in_time_recovery: { enabled: false },
      };
      expect(await deploy(table(grown, { ...provisioned, write_capacity: 4 }))).toEqual({
        update: ['aws_dynamodb_table.tokens'],
      });
      expect(await described()).toMatchObject({
        ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
        WarmThroughput: { ReadUnitsPerSecond: 20_000 },
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' },
        GlobalSecondaryIndexes: [{ ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 } }],
      });
      const { ContinuousBackupsDescription: backups } = await client.send(
        new DescribeContinuousBackupsCommand({ TableName: 'Tokens' }),
      );
      expect(backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus).toBe('DISABLED');

      const { read_capacity, write_capacity, ...onDemand }: Arguments = {
        ...grown,
        billing_mode: 'PAY_PER_REQUEST',
        stream_view_type: 'KEYS_ONLY',
      };
      const warmIndex = { warm_throughput: { read_units_per_second: 12_000, write_units_per_second: 4_000 } };
      expect(await deploy(table(onDemand, warmIndex))).toEqual({ update: ['aws_dynamodb_table.tokens'] });
      expect((await described())?.StreamSpecification?.StreamViewType).toBe('KEYS_ONLY');

      // What is left out of these is the provider's to know.
      const { server_side_encryption, point_in_time_recovery, warm_throughput, ...bare } = onDemand;
      expect(await deploy(table(bare))).toEqual({});

      // Warm throughput only grows.
      use(table({ ...onDemand, warm_throughput: { read_units_per_second: 12_000 } }));
      expect(await root.plan()).toEqual({ replace: ['aws_dynamodb_table.tokens'] });
      await destroy();
    });

    test.each<[string, Arguments, RegExp]>([
      ['no capacity where it is provisioned', {}, /read_capacity must be at least 1/],
      [
        'capacity where each request is paid for',
        { billing_mode: 'PAY_PER_REQUEST', read_capacity: 5 },
        /read_capacity can not be set/,
      ],
      [
        'a stream of nothing',
        { billing_mode: 'PAY_PER_REQUEST', stream_enabled: true },
        /stream_view_type is required/,
      ],
      [
        'too little warm throughput',
        { billing_mode: 'PAY_PER_REQUEST', warm_throughput: { read_units_per_second: 100 } },
        /expected at least 12000/,
      ],
    ])('refuses %s', async (_name, changes, expected) => {
      use(table(changes));
      expect(await root.plan()).toMatch(expected);
    });
  });

  test('makes a bucket with its settings, edits them in place, imports and removes them', async () => {
    const bucket = reference('aws_s3_bucket.archive.id');
    const resources = (tags: Arguments, days: number, algorithm: Arguments): Resources => ({
      aws_s3_bucket: { archive: { bucket: 'expired-items', tags } },
      aws_s3_bucket_versioning: { archive: { bucket, versioning_configuration: { status: 'Enabled' } } },
      aws_s3_bucket_public_access_block: {
        archive: {
          bucket,
          block_public_acls: true,
          block_public_policy: true,
          restrict_public_buckets: days > 100,
        },
      },
      aws_s3_bucket_server_side_encryption_configuration: {
        archive: { bucket, rule: { apply_server_side_encryption_by_default: algorithm } },
      },
      aws_s3_bucket_lifecycle_configuration: {
        archive: {
          bucket,
          rule: {
            id: 'colder',
            status: 'Enabled',
            filter: {},
            transition: [{ days: 30, storage_class: 'GLACIER' }],
            expiration: { days },
            noncurrent_version_expiration: { noncurrent_days: 7 },
          },
        },
      },
    });
    const first = resources({ team: 'identity' }, 90, { sse_algorithm: 'AES256' });
    expect(Object.keys(await deploy(first))).toEqual(['create']);
    const encryption = { sse_algorithm: 'aws:kms', kms_master_key_id: KEY };
    const second = resources({ owner: 'sessions' }, 365, encryption);
    const { update, ...others } = await deploy(second);
    expect([others, update?.length]).toEqual([{}, 4]);

    const imported = Object.keys(second).map(type => ({ to: `${type}.archive`, id: 'expired-items' }));
    await root.succeed(['state', 'rm', ...imported.map(({ to }) => to)]);
    const { update: notTold = [], ...nothing } = await deploy(second, { import: imported });
    // Of the lifecycle only what is configured is read.
    expect([nothing, notTold]).toEqual([{}, ['aws_s3_bucket_lifecycle_configuration.archive']]);
    await destroy();
  });

  test('repeats a call whose connection broke', async () => {
    let requests = 0;
    const breaking = await startPassingOn(() => {
      requests += 1;
      return requests % 2 === 1 ? undefined : aws.endpoint;
    });
    use({ aws_sns_topic: { alarms: { name: 'alarms' } } });
    expect(await root.deploy({ AWS_ENDPOINT_URL: breaking.endpoint })).toEqual({
      create: ['aws_sns_topic.alarms'],
    });
    await breaking.stop();
    expect(requests).toBeGreaterThan(4);
  });

  test('refuses what the provider refuses', async () => {
    const alarm = {
      comparison_operator: 'GreaterThanThreshold',
      evaluation_periods: 1,
      namespace: 'PreciseTtl',
      metric_name: 'DeletionLag',
      period: 60,
      threshold: 5,
    };
    use({
      aws_cloudwatch_metric_alarm: {
        percentile: { ...alarm, alarm_name: 'a', extended_statistic: '99' },
        period: { ...alarm, alarm_name: 'b', statistic: 'Sum', period: 90 },
      },
      aws_cloudwatch_dashboard: { sweeps: { dashboard_name: 'my sweeps', dashboard_body: '{' } },
    });
    const refused = await root.plan();
    for (const expected of [
      'extended_statistic: expected to match',
      'period: expected one of [10 20 30] or a multiple of 60, got 90',
      'dashboard_name: expected to match',
      'dashboard_body: expected JSON',
    ]) {
      expect(refused).toContain(expected);
    }
    const statistics = { statistic: 'Sum', extended_statistic: 'p99' };
    use({ aws_cloudwatch_metric_alarm: { both: { ...alarm, alarm_name: 'c', ...statistics } } });
    expect(await root.plan()).toMatch(/One of `statistic` or `extended_statistic` must be set/);
  });

  test('finds a recorded call that AWS would refuse', () => {
    const call = { service: 'SNS', call: 'CreateTopic', about: 'x', input: { Colour: 'red' } };
    const alarm = { service: 'CloudWatch', call: 'PutMetricAlarm', about: 'y', input: { AlarmName: '' } };
    writeFileSync(log, [call, alarm].map(each => `${JSON.stringify(each)}\n`).join(''));
    const problems = callProblems(log);
    expect(problems).toContain('CreateTopic x: : no member Colour');
    expect(problems).toContain('CreateTopic x: : Name is missing');
    expect(problems).toContain('PutMetricAlarm y: .AlarmName: 0 is less than 1');
  });
});
