import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import { ALARM_NAMES } from '../../stacks/config/alarms.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import {
  inWords,
  type Resource,
  resources,
  type TerraformJson,
  terraformJson,
} from '../support/synthesized.ts';

/** With everything that has alarms. */
const json = terraformJson(configOf({ ...SESSION_DATA, archive: true, dashboard: true }));
const ALARMS = resources(json, 'aws_cloudwatch_metric_alarm');

interface Metric extends Resource {
  readonly dimensions: object;
}

function metricInWords({ namespace, metric_name: name, dimensions, period, ...metric }: Metric): string {
  const statistic = metric['stat'] ?? metric['statistic'] ?? metric['extended_statistic'];
  const of = inWords(JSON.stringify(dimensions)).replaceAll('"', '');
  return `${namespace} ${name} ${of} ${statistic} of ${period} s`;
}

function inOneLine(alarm: Resource): string {
  const { comparison_operator: comparison, threshold, treat_missing_data: missing } = alarm;
  const [expression, ...metrics] = (alarm['metric_query'] ?? []) as Record<string, unknown>[];
  const watched = expression
    ? metrics.reduce(
        (text, { id, metric }) => text.replaceAll(`${id}`, metricInWords(metric as Metric)),
        `${expression['expression']}`,
      )
    : metricInWords(alarm as Metric);
  const { datapoints_to_alarm: some, evaluation_periods: all } = alarm;
  const sign = comparison === 'LessThanThreshold' ? '<' : '>=';
  const [, command, section] =
    /^[A-Z].*\. Which table: npx precise-ttl (\w+)\. What to do: \S+\/docs\/reference\/alarms\.md#(\S+)$/.exec(
      String(alarm['alarm_description']),
    ) ?? [];
  return `${watched} ${sign} ${threshold}, ${some ?? all} of ${all}, else ${missing}: ${command}, ${section}`;
}

test('each alarm watches this, what is idle or new raises none, and the runbook has what to do', () => {
  const [ofAll, ofSweeps] = ['{Deployment:precise-ttl}', '{Deployment:precise-ttl,service:record-metrics}'];
  const machine = '{StateMachineArn:<sweep_machine arn>}';
  const [succeeded, failed, timedOut] = ['Succeeded', 'Failed', 'TimedOut'].map(
    each => `AWS/States Executions${each} ${machine} Sum of 300 s`,
  );
  const expected = {
    // The last value that is not 0 is one of two: the alarm sounds when there is none any more, and not before the first.
    'no-sweep': `IF(FILL(${succeeded}, REPEAT), FILL(${succeeded}, 0)) < 1, 1 of 2, else ignore: status`,
    'executions-failed': `FILL(${failed}, 0) + FILL(${timedOut}, 0) >= 1, 1 of 1, else notBreaching: status`,
    'items-failed': `PreciseTtl ItemsFailed ${ofSweeps} Sum of 300 s >= 1, 1 of 1, else notBreaching: status`,
    // SQS stops the metrics of a queue that nobody calls, with the messages still in it.
    'dead-letters':
      'AWS/SQS ApproximateNumberOfMessagesVisible {QueueName:precise-ttl-dead-letters} Maximum of 300 s >= 1, 1 of 1, else ignore: status',
    'deletion-lag': `PreciseTtl DeletionLag ${ofSweeps} p99 of 300 s >= 11000, 3 of 3, else notBreaching: status`,
    'watermark-age': `PreciseTtl WatermarkAge ${ofAll} Maximum of 300 s >= 90000, 1 of 1, else notBreaching: status`,
    'pipes-behind': `PreciseTtl ExpiryAge ${ofAll} Maximum of 300 s >= 3600, 1 of 1, else notBreaching: doctor`,
  };
  expect(Object.fromEntries(ALARMS.map(alarm => [alarm['alarm_name'], inOneLine(alarm)]))).toEqual(
    Object.fromEntries(
      Object.entries(expected).map(([name, line]) => [`precise-ttl-${name}`, `${line}, ${name}`]),
    ),
  );
});

test('of tables with several precisions the coarsest says what is late', () => {
  const tables = (['second', 'minute'] as const).map(precision => ({
    ...SESSION_DATA,
    tableName: precision.padEnd(9, '-'),
    precision,
  }));
  const alarms = resources(terraformJson(configOf(...tables)), 'aws_cloudwatch_metric_alarm');
  expect(alarms.find(({ alarm_name: name }) => name === 'precise-ttl-deletion-lag')).toMatchObject({
    threshold: 120_000,
  });
});

test('nobody but CloudWatch of this account publishes to their topic, for alarms of the deployment', () => {
  const [{ name, policy, kms_master_key_id: key } = {}] = resources(json, 'aws_sns_topic');
  // CloudWatch cannot use SNS's own.
  expect(key).toBeUndefined();
  expect([name, JSON.parse(inWords(String(policy))).Statement]).toEqual([
    'precise-ttl-alarms',
    [
      {
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: 'arn:<partition>:sns:<region>:<account_id>:precise-ttl-alarms',
        Condition: {
          StringEquals: { 'aws:SourceAccount': '<account_id>' },
          ArnLike: {
            'aws:SourceArn': 'arn:<partition>:cloudwatch:<region>:<account_id>:alarm:precise-ttl-*',
          },
        },
      },
    ],
  ]);
});

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly properties: {
    readonly title: string;
    readonly metrics: readonly (readonly unknown[])[];
    readonly annotations?: object;
    readonly alarms?: readonly string[];
  };
}

function widgetsIn(of: TerraformJson): readonly Widget[] {
  const [{ dashboard_body: body } = {}] = resources(of, 'aws_cloudwatch_dashboard');
  return JSON.parse(String(body)).widgets;
}

test('the dashboard shows what each alarm watches, with its threshold, and every metric of the sweep, side by side', () => {
  const widgets = widgetsIn(json);
  const graphs = widgets.filter(({ type }) => type === 'metric').map(({ properties }) => properties);
  const watched = graphs.filter(({ annotations }) => annotations !== undefined);
  expect(watched.map(({ title }) => title.split(':')[0])).toEqual(ALARM_NAMES);
  const shown = graphs.flatMap(({ metrics }) => metrics.map(([, name]) => name));
  expect(shown).toEqual(expect.arrayContaining(SWEEP_METRICS.map(({ name }) => name)));
  expect(new Set(widgets.map(({ x, y }) => `${x} ${y}`)).size).toBe(widgets.length);
  const alarmsIn = (of: readonly Widget[]) =>
    of.flatMap(({ type, properties }) => (type === 'alarm' ? [properties.alarms?.length] : []));
  expect(alarmsIn(widgets)).toEqual([ALARMS.length]);
  // CloudWatch takes no list of none.
  const quiet = configOf({ ...SESSION_DATA, alarms: false, dashboard: true });
  expect(alarmsIn(widgetsIn(terraformJson(quiet)))).toEqual([]);
});
