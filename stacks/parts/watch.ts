import { CloudwatchDashboard } from '@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js';
import { CloudwatchMetricAlarm } from '@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js';
import { CloudwatchQueryDefinition } from '@cdktf/provider-aws/lib/cloudwatch-query-definition/index.js';
import { SnsTopic } from '@cdktf/provider-aws/lib/sns-topic/index.js';
import { Construct } from 'constructs';
import { SWEEP_METRICS, type SweepMetric } from '../../functions/record-metrics/metrics.ts';
import {
  alarmsOf,
  type DeployedAlarm,
  descriptionOf,
  HEARTBEAT,
  kebab,
  type MetricReference,
  metricsOf,
  runbookOf,
} from '../config/alarms.ts';
import type { Deployment } from '../config/deployments.ts';
import type { Part, Place } from './place.ts';

export class SweepAlarms extends Construct {
  /** The topic that this stack makes; undefined if `alarms` is false or the ARN of an existing topic. */
  readonly topic: SnsTopic | undefined;
  readonly topicArn: string | undefined;
  readonly alarms: Readonly<Record<string, CloudwatchMetricAlarm>>;

  constructor(scope: Construct, id: string, { place, deployment }: Part, tickArn: string) {
    super(scope, id);
    const deployed = alarmsOf(deployment, tickArn);
    if (deployed.length > 0) {
      const given = typeof deployment.alarms === 'string' ? deployment.alarms : undefined;
      if (given === undefined) this.topic = ownTopic(this, place, deployment);
      this.topicArn = given ?? this.topic?.arn;
    }
    const actions = this.topicArn === undefined ? [] : [this.topicArn];
    this.alarms = Object.fromEntries(
      deployed.map(alarm => [
        alarm.name,
        new CloudwatchMetricAlarm(this, kebab(alarm.alarm), {
          alarmName: alarm.name,
          alarmDescription: descriptionOf(alarm),
          ...watchedBy(alarm),
          comparisonOperator: alarm.comparison,
          threshold: alarm.threshold,
          treatMissingData: alarm.treatMissingData,
          alarmActions: actions,
          okActions: actions,
        }),
      ]),
    );
  }
}

/**
 * Makes the topic for alarms. Without `kmsKeyArn` the topic is not encrypted, because CloudWatch cannot publish to a topic encrypted with
 * the AWS managed key of SNS. Source: AWS re:Post, "configure CloudWatch alarms with an encrypted SNS topic".
 */
function ownTopic(scope: Construct, place: Place, { name, kmsKeyArn }: Deployment): SnsTopic {
  const topic = `${name}-alarms`;
  return new SnsTopic(scope, 'topic', {
    name: topic,
    policy: JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          // The ARN is written out, because a resource cannot refer to its own attribute.
          Resource: place.arn('sns', topic),
          Condition: {
            StringEquals: { 'aws:SourceAccount': place.account },
            ArnLike: { 'aws:SourceArn': place.arn('cloudwatch', `alarm:${name}-*`) },
          },
        },
      ],
    }),
    ...(kmsKeyArn !== undefined && { kmsMasterKeyId: kmsKeyArn }),
  });
}

function watchedBy({ metrics, statistic, periodSeconds: period, periods, isHeartbeat }: DeployedAlarm) {
  const [metric] = metrics;
  const query = (id: string, { namespace, name, dimensions }: MetricReference, seconds: number) => ({
    id,
    metric: { namespace, metricName: name, dimensions: { ...dimensions }, stat: statistic, period: seconds },
  });
  if (isHeartbeat) {
    const { metricId, expression, ...evaluated } = HEARTBEAT;
    const label = `${metric.name}, 0 once it is silent`;
    const silence = { id: 'silence', expression, label, returnData: true };
    return { metricQuery: [silence, query(metricId, metric, period * periods)], ...evaluated };
  }
  if (metrics.length > 1) {
    const queries = metrics.map((each, index) => query(`m${index}`, each, period));
    const expression = queries.map(({ id }) => `FILL(${id}, 0)`).join(' + ');
    const sum = { id: 'sum', expression, label: metric.name, returnData: true };
    return { metricQuery: [sum, ...queries], evaluationPeriods: periods };
  }
  return {
    namespace: metric.namespace,
    metricName: metric.name,
    dimensions: { ...metric.dimensions },
    ...(statistic === 'p99' ? { extendedStatistic: statistic } : { statistic }),
    period,
    evaluationPeriods: periods,
  };
}

/** Size of each widget; a dashboard is 24 units wide. Source: CloudWatch API reference, "Dashboard Body Structure and Syntax". */
const WIDTH = 12;
const HEIGHT = 6;

function graphsOf({ place, deployment }: Part, tickArn: string): object[] {
  const graph = (
    title: string,
    metrics: readonly MetricReference[],
    statistics: readonly string[],
    threshold?: number,
  ) => ({
    title,
    region: place.region,
    period: 60,
    metrics: statistics.flatMap(stat =>
      metrics.map(({ namespace, name, dimensions }) => [
        namespace,
        name,
        ...Object.entries(dimensions).flat(),
        { stat },
      ]),
    ),
    yAxis: { left: { min: 0 } },
    ...(threshold !== undefined && { annotations: { horizontal: [{ label: 'alarm', value: threshold }] } }),
  });
  const recorded = (title: string, unit: SweepMetric['unit'], ...statistics: string[]) => {
    const names = SWEEP_METRICS.filter(metric => metric.unit === unit).map(({ name }) => name);
    return graph(title, metricsOf({ by: 'sweep', names }, deployment.name, tickArn), statistics);
  };
  return [
    ...alarmsOf({ ...deployment, alarms: true }, tickArn).map(alarm =>
      graph(`${alarm.alarm}: ${alarm.help}`, alarm.metrics, [alarm.statistic], alarm.threshold),
    ),
    recorded('Counted by the sweeps', 'Count', 'Sum'),
    recorded('Lag, milliseconds', 'Milliseconds', 'p50', 'p99'),
    recorded('Age, seconds', 'Seconds', 'Maximum'),
  ];
}

export class SweepDashboard extends Construct {
  readonly dashboardName: string;

  constructor(scope: Construct, id: string, part: Part, tickArn: string, alarms: SweepAlarms) {
    super(scope, id);
    const { name } = part.deployment;
    const arns = Object.values(alarms.alarms).map(({ arn }) => arn);
    const widgets = [
      ['text', { markdown: `**${name}**: [what to do](${runbookOf()})` }] as const,
      ...(arns.length > 0 ? [['alarm', { title: 'Alarms', alarms: arns }] as const] : []),
      ...graphsOf(part, tickArn).map(graph => ['metric', graph] as const),
    ].map(([type, properties], index) => {
      const [x, y] = [(index % 2) * WIDTH, Math.floor(index / 2) * HEIGHT];
      return { type, x, y, width: WIDTH, height: HEIGHT, properties };
    });
    this.dashboardName = name;
    this.node.defaultChild = new CloudwatchDashboard(this, 'dashboard', {
      dashboardName: name,
      dashboardBody: JSON.stringify({ widgets }),
    });
  }
}

/** Saved queries of CloudWatch Logs Insights. A saved query costs nothing until a person runs it. */
const QUERIES = {
  'last-sweeps': {
    of: 'recordMetrics',
    text: 'fields @timestamp, table, found, deleted, failed, leftForLater, durationMs | filter message = "swept" | sort @timestamp desc | limit 100',
  },
  failures: {
    of: 'all',
    text: 'fields @timestamp, @log, message, error.name, error.message, type, details.error, details.cause | filter level in ["ERROR", "WARN"] or type like /Failed|TimedOut/ | sort @timestamp desc | limit 200',
  },
  'one-key': {
    of: 'all',
    text: 'fields @timestamp, @log, @message | filter @message like "the key, or its hash" | sort @timestamp desc | limit 100',
  },
  // This query lists whole sweeps and not chunks, because a chunk that succeeds logs nothing.
  'slowest-sweeps': {
    of: 'recordMetrics',
    text: 'fields @timestamp, table, durationMs, deleted, throttled, retries | filter message = "swept" | sort durationMs desc | limit 50',
  },
} as const;

export function saveQueries(
  scope: Construct,
  name: string,
  logs: Readonly<Record<'recordMetrics' | 'all', readonly string[]>>,
): void {
  const queries = new Construct(scope, 'queries');
  for (const [query, { of, text }] of Object.entries(QUERIES))
    new CloudwatchQueryDefinition(queries, query, {
      name: `${name}/${query}`,
      queryString: text,
      logGroupNames: [...logs[of]],
    });
}
