import { CloudwatchDashboard } from '@cdktf/provider-aws/lib/cloudwatch-dashboard/index.js';
import { CloudwatchMetricAlarm } from '@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js';
import { CloudwatchQueryDefinition } from '@cdktf/provider-aws/lib/cloudwatch-query-definition/index.js';
import { SnsTopic } from '@cdktf/provider-aws/lib/sns-topic/index.js';
import { Construct } from 'constructs';
import {
  type AlarmedResources,
  alarmsOf,
  type DeployedAlarm,
  descriptionOf,
  HEARTBEAT,
  kebab,
  type MetricReference,
  runbookOf,
  sweepMetric,
} from '../../config/alarms.ts';
import type { Deployment } from '../../config/deployments.ts';
import { SWEEP_METRICS } from '../../functions/record-metrics/metrics.ts';
import type { Place } from './place.ts';

export interface WatchProps {
  readonly place: Place;
  readonly resources: AlarmedResources;
  readonly deployment: Deployment;
}

/** The alarms of a deployment, and the topic that they notify. Without alarms there is no topic. */
export class SweepAlarms extends Construct {
  /** Undefined with a topic of the user's, or without alarms. */
  readonly topic: SnsTopic | undefined;
  /** The topic that is notified: the user's, or the deployment's own. */
  readonly topicArn: string | undefined;
  /** The alarms that are created, by their names in CloudWatch. */
  readonly alarms: Readonly<Record<string, CloudwatchMetricAlarm>>;

  constructor(scope: Construct, id: string, { place, resources, deployment }: WatchProps) {
    super(scope, id);
    const deployed = alarmsOf(deployment, resources);
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
 * Makes the deployment's topic. It is not encrypted without a key: CloudWatch cannot publish to a topic with AWS's own key for SNS, and
 * only the alarm's history would show that. Source: AWS re:Post knowledge center, "configure CloudWatch alarms with an encrypted SNS
 * topic". The messages name the alarm and its metric, and no item.
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
          // Not the topic's attribute: a resource cannot refer to itself.
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

/** Arguments of an alarm on the values of a metric, on a sum of metrics, or on a metric's missing datapoints. */
function watchedBy({
  metric,
  others,
  statistic,
  periodSeconds: period,
  periods,
  isHeartbeat,
}: DeployedAlarm) {
  const query = (id: string, { namespace, name, dimensions }: MetricReference, seconds: number) => ({
    id,
    metric: { namespace, metricName: name, dimensions: { ...dimensions }, stat: statistic, period: seconds },
  });
  if (isHeartbeat) {
    const { metricId, expression, evaluationPeriods, datapointsToAlarm } = HEARTBEAT;
    const label = `${metric.name}, 0 once it is silent`;
    return {
      metricQuery: [
        { id: 'silence', expression, label, returnData: true },
        query(metricId, metric, period * periods),
      ],
      evaluationPeriods,
      datapointsToAlarm,
    };
  }
  if (others.length > 0) {
    const queries = [metric, ...others].map((each, index) => query(`m${index}`, each, period));
    // A metric without a datapoint counts as 0.
    const expression = queries.map(({ id }) => `FILL(${id}, 0)`).join(' + ');
    return {
      metricQuery: [{ id: 'sum', expression, label: metric.name, returnData: true }, ...queries],
      evaluationPeriods: periods,
    };
  }
  return {
    namespace: metric.namespace,
    metricName: metric.name,
    dimensions: { ...metric.dimensions },
    // CloudWatch has a separate field for percentiles.
    ...(statistic === 'p99' ? { extendedStatistic: statistic } : { statistic }),
    period,
    evaluationPeriods: periods,
  };
}

/** A line of a graph. */
interface Line {
  readonly metric: MetricReference;
  readonly statistic: string;
}

interface Graph {
  readonly title: string;
  readonly lines: readonly Line[];
  /** A horizontal line across the graph. */
  readonly threshold?: number;
}

/** Half of the grid's 24 columns. Source, also for the rest: CloudWatch API reference, "Dashboard Body Structure and Syntax". */
const WIDTH = 12;
const HEIGHT = 6;

/** What each alarm watches, with its threshold, and all that the sweep records. */
function graphsOf(deployment: Deployment, resources: AlarmedResources): Graph[] {
  const recorded = (unit: string, statistic: string): Line[] =>
    SWEEP_METRICS.filter(metric => metric.unit === unit).map(({ name }) => ({
      metric: sweepMetric(name, deployment),
      statistic,
    }));
  return [
    ...alarmsOf({ ...deployment, alarms: true }, resources).map(alarm => ({
      title: `${alarm.alarm}: ${alarm.help}`,
      lines: [alarm.metric, ...alarm.others].map(metric => ({ metric, statistic: alarm.statistic })),
      threshold: alarm.threshold,
    })),
    { title: 'Counted by the sweeps', lines: recorded('Count', 'Sum') },
    { title: 'Lag, milliseconds', lines: ['p50', 'p99'].flatMap(each => recorded('Milliseconds', each)) },
    { title: 'Age, seconds', lines: recorded('Seconds', 'Maximum') },
  ];
}

function propertiesOf({ title, lines, threshold }: Graph, region: string): object {
  return {
    title,
    region,
    period: 60,
    metrics: lines.map(({ metric: { namespace, name, dimensions }, statistic }) => [
      namespace,
      name,
      ...Object.entries(dimensions).flat(),
      { stat: statistic },
    ]),
    yAxis: { left: { min: 0 } },
    ...(threshold !== undefined && { annotations: { horizontal: [{ label: 'alarm', value: threshold }] } }),
  };
}

/** The dashboard of a deployment; the number of its graphs does not depend on that of the tables. */
export class SweepDashboard extends Construct {
  readonly dashboardName: string;

  constructor(
    scope: Construct,
    id: string,
    { place, resources, deployment }: WatchProps,
    alarms: SweepAlarms,
  ) {
    super(scope, id);
    const { name } = deployment;
    const arns = Object.values(alarms.alarms).map(({ arn }) => arn);
    const graphs = graphsOf(deployment, resources).map(graph => propertiesOf(graph, place.region));
    const widgets = [
      ['text', { markdown: `**${name}**: [what to do](${runbookOf()})` }] as const,
      ...(arns.length > 0 ? [['alarm', { title: 'Alarms', alarms: arns }] as const] : []),
      ...graphs.map(each => ['metric', each] as const),
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

/** Queries of Logs Insights, which cost nothing until somebody runs one: by their names, through all logs or those of RecordMetrics. */
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
  // A chunk that succeeds logs nothing: its time is in that of its sweep.
  'slowest-sweeps': {
    of: 'recordMetrics',
    text: 'fields @timestamp, table, durationMs, deleted, throttled, retries | filter message = "swept" | sort durationMs desc | limit 50',
  },
} as const;

/** @param logs names of the log groups */
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
