import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchClient, DescribeAlarmsCommand, GetDashboardCommand } from '@aws-sdk/client-cloudwatch';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { Deployment } from './support/deployment.ts';
import { callProblems, describeWithTerraform, type EmulatedAws, startEmulatedAws } from './support/proof.ts';

const NAME = 'precise-ttl';
const TOKENS: PreciseTtlProps = {
  tableName: 'Tokens',
  partitionKey: 'id',
  dashboard: true,
};
const ON_CALL = 'arn:aws:sns:us-east-1:123456789012:on-call';
const OWN_TOPIC = `arn:aws:sns:us-east-1:123456789012:${NAME}-alarms`;

const ALL = [
  'dead-letters',
  'deletion-lag',
  'executions-failed',
  'items-failed',
  'no-sweep',
  'watermark-age',
];

interface Edit {
  readonly changes: Partial<PreciseTtlProps>;
  readonly alarms: readonly string[];
  readonly topic?: string;
  readonly hasDashboard?: false;
}

/** From the defaults, each instead of the one before. */
const EDITS: readonly Edit[] = [
  { changes: { alarms: false }, alarms: [] },
  { changes: { alarms: ON_CALL }, alarms: ALL, topic: ON_CALL },
  { changes: {}, alarms: ALL },
  { changes: { alarms: ON_CALL }, alarms: ALL, topic: ON_CALL },
  { changes: { dashboard: false }, alarms: ALL, hasDashboard: false },
];

describeWithTerraform('alarms, their topic and the dashboard', () => {
  let aws: EmulatedAws;
  let cloudWatch: CloudWatchClient;
  const log = join(tmpdir(), `precise-ttl-monitoring-calls-${process.pid}.jsonl`);

  beforeAll(async () => {
    aws = await startEmulatedAws({ log });
    cloudWatch = new CloudWatchClient({
      endpoint: aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  });
  afterAll(async () => {
    cloudWatch?.destroy();
    await aws?.stop();
  });
  beforeEach(() => aws.reset());
  afterEach(() => rmSync(log, { force: true }));

  const seen = async () => {
    const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({}));
    const body = await cloudWatch.send(new GetDashboardCommand({ DashboardName: NAME })).then(
      ({ DashboardBody = '' }) => JSON.parse(DashboardBody) as { widgets: Widget[] },
      () => undefined,
    );
    return { alarms: MetricAlarms, widgets: body?.widgets };
  };

  test('are changed in place, come and go as they are asked for', async () => {
    const deployment = new Deployment(aws);
    const deploy = (props: PreciseTtlProps) => deployment.deploy(configOf(props));
    expect(Object.keys(await deploy(TOKENS))).toEqual(['create']);
    for (const { changes, alarms, topic = OWN_TOPIC, hasDashboard = true } of EDITS) {
      // In place: nothing is without an alarm in between.
      expect(await deploy({ ...TOKENS, ...changes })).not.toHaveProperty('replace');
      const there = await seen();
      expect(there.alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
        alarms.map(alarm => `${NAME}-${alarm}`),
      );
      for (const { AlarmActions, OKActions } of there.alarms) {
        expect([AlarmActions, OKActions]).toEqual([[topic], [topic]]);
      }
      expect(there.widgets !== undefined).toBe(hasDashboard);
      // It shows those that there are, and CloudWatch takes no list of none.
      const shown = there.widgets?.filter(({ type }) => type === 'alarm') ?? [];
      expect(shown.flatMap(({ properties }) => properties.alarms ?? []).sort()).toEqual(
        hasDashboard ? there.alarms.map(({ AlarmArn }) => AlarmArn).sort() : [],
      );
      expect(shown).toHaveLength(hasDashboard && alarms.length > 0 ? 1 : 0);
    }
    await deployment.deploy(configOf(TOKENS), { removed: true });
    deployment.remove();
    expect(await seen()).toEqual({ alarms: [], widgets: undefined });
    expect(callProblems(log)).toBe('');
  });
});

interface Widget {
  readonly type: string;
  readonly properties: { readonly alarms?: readonly string[] };
}
