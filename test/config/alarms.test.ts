// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { ComparisonOperator, Statistic } from '@aws-sdk/client-cloudwatch';
import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { SnsTopic } from '@cdktf/provider-aws/lib/sns-topic/index.js';
import { TerraformStack, Testing } from 'cdktf';
import { ALARM_NAMES, type AlarmName, kebab } from '../../config/alarms.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { DEPLOYMENT_METRICS } from '../../functions/runtime/deployment-metric.ts';
import { PreciseTtl } from '../../stacks/precise-ttl.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { environmentOf, type Resource, resources, terraformJson } from '../support/synthesized.ts';

/** With everything that has alarms. */
const WHOLE: PreciseTtlProps = {
  ...SESSION_DATA,
  archive: true,
  events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
};

const synthesized = (props: Partial<PreciseTtlProps> = {}) => terraformJson(configOf({ ...WHOLE, ...props }));

const alarmsIn = (json: ReturnType<typeof synthesized>) => resources(json, 'aws_cloudwatch_metric_alarm');

/** By what follows the name of the deployment in theirs. */
function byName(json: ReturnType<typeof synthesized>): Readonly<Record<string, Resource>> {
  return Object.fromEntries(
    alarmsIn(json).map(alarm => [String(alarm['alarm_name']).replace(/^precise-ttl-/, ''), alarm]),
  );
}

const kebabs = (names: readonly AlarmName[]) => names.map(kebab).sort();

/** What an alarm looks at: a metric of its own fields, or that of its expression. */
function watchedBy(alarm: Record<string, unknown>): Record<string, unknown> {
  const queries = (alarm['metric_query'] ?? []) as readonly { readonly metric?: Record<string, unknown> }[];
  return queries.find(({ metric }) => metric !== undefined)?.metric ?? alarm;
}

describe('the alarms of a table', () => {
  const json = synthesized();
  const alarms = byName(json);

  test('are those of the list, each with its name and where the runbook has it', () => {
    expect(Object.keys(alarms).sort()).toEqual(kebabs(ALARM_NAMES));
    for (const [name, { alarm_description }] of Object.entries(alarms)) {
      expect(alarm_description).toMatch(
        new RegExp(
          `^[A-Z].*\\. Which table: npx precise-ttl (status|doctor)\\. What to do: \\S+/docs/reference/alarms\\.md#${name}$`,
        ),
      );
    }
  });

  test('say that no sweep succeeds any more when five minutes have none, and nothing before the first one', () => {
    expect(alarms['no-sweep']).toMatchObject({
      metric_query: [
        { id: 'silence', expression: 'IF(FILL(beats, REPEAT), FILL(beats, 0))', return_data: true },
        {
          id: 'beats',
          metric: {
            namespace: 'AWS/States',
            metric_name: 'ExecutionsSucceeded',
            dimensions: {
              StateMachineArn: expect.stringMatching(
                /^\$\{aws_sfn_state_machine\.[\w-]+_sweep_machine_\w+\.arn\}$/,
              ),
            },
            stat: 'Sum',
            period: 300,
          },
        },
      ],
      comparison_operator: 'LessThanThreshold',
      threshold: 1,
      evaluation_periods: 2,
      datapoints_to_alarm: 1,
      treat_missing_data: 'ignore',
    });
  });

  test('take it as good when an idle table records nothing, but for the queue, whose alarm keeps its state', () => {
    const others = Object.entries(alarms).filter(([name]) => name !== 'no-sweep');
    expect(others).toHaveLength(ALARM_NAMES.length - 1);
    for (const [name, { treat_missing_data }] of others) {
      expect([name, treat_missing_data]).toEqual([name, name === 'dead-letters' ? 'ignore' : 'notBreaching']);
    }
  });

  test('are as CloudWatch takes them', () => {
    for (const alarm of alarmsIn(json)) {
      expect(Object.values(ComparisonOperator)).toContain(alarm['comparison_operator']);
      const { stat, statistic = stat, extended_statistic, period } = watchedBy(alarm);
      expect([...Object.values(Statistic), undefined]).toContain(statistic);
      // Exactly one of the two.
      expect(statistic === undefined).toBe(extended_statistic !== undefined);
      expect(extended_statistic ?? 'p99').toBe('p99');
      expect(Number(period) * Number(alarm['evaluation_periods'])).toBeLessThanOrEqual(86_400);
      expect(String(alarm['alarm_description']).length).toBeLessThanOrEqual(1024);
    }
  });

  test.each(alarmsIn(json))('$alarm_name looks at a metric that exists', made => {
    const alarm = watchedBy(made);
    const variables = environmentOf(json, 'record-metrics');
    const dimensions = alarm['dimensions'] as Record<string, string>;
    if (alarm['namespace'] === variables['POWERTOOLS_METRICS_NAMESPACE']) {
      if (String(alarm['metric_name']) in DEPLOYMENT_METRICS) {
        expect(dimensions).toEqual({ Deployment: variables['DEPLOYMENT_NAME'] });
        return;
      }
      expect(SWEEP_METRICS.map(({ name }) => name)).toContain(alarm['metric_name']);
      expect(dimensions).toEqual({
        service: variables['POWERTOOLS_SERVICE_NAME'],
        Deployment: variables['DEPLOYMENT_NAME'],
      });
      return;
    }
    expect(Object.keys(dimensions)).toEqual([
      alarm['namespace'] === 'AWS/SQS' ? 'QueueName' : 'StateMachineArn',
    ]);
    const named = (type: string, field: string) => resources(json, type).map(each => each[field]);
    if ('QueueName' in dimensions) expect(named('aws_sqs_queue', 'name')).toContain(dimensions['QueueName']);
  });

  test('tell a topic of their own, which nobody but CloudWatch of this account publishes to', () => {
    const topics = Object.entries(json.resource['aws_sns_topic'] ?? {});
    expect(topics).toEqual([[expect.any(String), expect.objectContaining({ name: 'precise-ttl-alarms' })]]);
    const [[id, topic] = ['', {}]] = topics;
    expect(topic).not.toHaveProperty('kms_master_key_id');
    const { Statement: statements } = JSON.parse(String(topic['policy']));
    expect(statements).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: expect.stringMatching(/:sns:.*:precise-ttl-alarms$/),
        Condition: {
          StringEquals: { 'aws:SourceAccount': expect.stringContaining('data.aws_caller_identity') },
          ArnLike: {
            'aws:SourceArn': expect.stringMatching(/:cloudwatch:.*:alarm:precise-ttl-\*$/),
          },
        },
      },
    ]);
    for (const { alarm_actions, ok_actions } of alarmsIn(json)) {
      expect([alarm_actions, ok_actions]).toEqual([
        [`\${aws_sns_topic.${id}.arn}`],
        [`\${aws_sns_topic.${id}.arn}`],
      ]);
    }
  });
});

test('that of failed executions adds up those that failed and that timed out, of ticks', () => {
  const machine = (id: string) => expect.stringMatching(new RegExp(`_${id}_machine_\\w+\\.arn`));
  const metric = (metric_name: string, id: string) =>
    expect.objectContaining({ metric_name, dimensions: { StateMachineArn: machine(id) } });
  expect(byName(synthesized())['executions-failed']?.['metric_query']).toEqual([
    expect.objectContaining({
      expression: 'FILL(m0, 0) + FILL(m1, 0)',
      return_data: true,
    }),
    { id: 'm0', metric: metric('ExecutionsFailed', 'sweep') },
    { id: 'm1', metric: metric('ExecutionsTimedOut', 'sweep') },
  ]);
});

test('many tables have one set of them, and one alarm for all their pipes', () => {
  const table = (tableName: string, props = {}) => ({ tableName, partitionKey: 'id', ...props });
  const named = (...tables: PreciseTtlProps[]) =>
    alarmsIn(terraformJson(configOf(...tables)))
      .map(({ alarm_name: name }) => String(name))
      .sort();
  const ofOne = named(table('one'));
  expect(named(table('one'), table('two'), table('three'))).toEqual(ofOne);
  const archived = named(table('one', { archive: true }), table('two', { archive: true }), table('three'));
  expect(archived.filter(name => !ofOne.includes(name))).toEqual(['precise-ttl-pipes-behind']);
});

test('of tables with several precisions the coarsest says what is late', () => {
  const tables = (['second', 'minute'] as const).map(precision => ({
    ...{ tableName: `table-${precision}`, partitionKey: 'id', precision },
  }));
  const alarms = byName(terraformJson(configOf(...tables)));
  expect(alarms['deletion-lag']).toMatchObject({ threshold: 120_000 });
});

test('a topic of yours is told instead, and there is no other', () => {
  const topicArn = '${aws_sns_topic.on_call.arn}';
  const json = synthesized({ alarms: topicArn });
  expect(resources(json, 'aws_sns_topic')).toEqual([]);
  for (const { alarm_actions } of alarmsIn(json)) expect(alarm_actions).toEqual([topicArn]);
  expect(JSON.stringify(json.output)).toContain(topicArn);
});

test('a topic of the same stack is a token', () => {
  const stack = new TerraformStack(Testing.app(), 'own');
  new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
  const topic = new SnsTopic(stack, 'on-call', { name: 'on-call' });
  const sweep = new PreciseTtl(stack, 'ttl', { ...WHOLE, alarms: topic.arn });
  expect(Object.keys(sweep.alarms.alarms).sort()).toEqual(
    ALARM_NAMES.map(alarm => `precise-ttl-SessionData-${kebab(alarm)}`).sort(),
  );
  const json = JSON.parse(Testing.synth(stack));
  expect(resources(json, 'aws_sns_topic')).toHaveLength(1);
  for (const { alarm_actions } of alarmsIn(json)) {
    expect(alarm_actions).toEqual(['${aws_sns_topic.on-call.arn}']);
  }
});

test('there are none, and no topic, with alarms: false', () => {
  const json = synthesized({ alarms: false });
  const types = ['aws_cloudwatch_metric_alarm', 'aws_sns_topic'];
  expect(types.flatMap(type => resources(json, type))).toEqual([]);
  expect(JSON.stringify(json.output)).not.toContain('alarmTopicArn');
});

test.each([
  ['second', 11_000],
  ['minute', 120_000],
] as const)("with precision: '%s' a lag of %d ms is late", (precision, threshold) => {
  expect(byName(synthesized({ precision }))['deletion-lag']).toMatchObject({
    extended_statistic: 'p99',
    threshold,
  });
});

test('the alarm of the pipes is there with a pipe', () => {
  expect(byName(terraformJson(configOf(SESSION_DATA)))['pipes-behind']).toBeUndefined();
  for (const props of [
    { archive: true },
    { events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' } },
  ]) {
    const json = terraformJson(configOf({ ...SESSION_DATA, ...props }));
    expect(byName(json)['pipes-behind']).toMatchObject({
      dimensions: { Deployment: 'precise-ttl' },
      metric_name: 'ExpiryAge',
      statistic: 'Maximum',
      threshold: 3600,
      treat_missing_data: 'notBreaching',
    });
    expect(environmentOf(json, 'only-expiries')).toMatchObject({ DEPLOYMENT_NAME: 'precise-ttl' });
  }
});
