import { CloudwatchMetricAlarm } from '@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js';
import { SnsTopic } from '@cdktf/provider-aws/lib/sns-topic/index.js';
import { Construct } from 'constructs';
import {
  type AlarmedResources,
  alarmsOf,
  type DeployedAlarm,
  descriptionOf,
  HEARTBEAT,
  kebab,
} from '../../config/alarms.ts';
import type { Deployment } from '../../config/deployments.ts';
import type { Place } from './place.ts';

export interface SweepAlarmsProps {
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

  constructor(scope: Construct, id: string, { place, resources, deployment }: SweepAlarmsProps) {
    super(scope, id);
    const deployed = alarmsOf(deployment, resources);
    if (deployed.length > 0) {
      const given = typeof deployment.alarms === 'string' ? deployment.alarms : undefined;
      if (given === undefined) this.topic = this.#ownTopic(place, deployment);
      this.topicArn = given ?? this.topic?.arn;
    }
    this.alarms = Object.fromEntries(
      deployed.map(alarm => [alarm.name, metricAlarm(this, alarm, this.topicArn)]),
    );
  }

  /**
   * Makes the deployment's topic. It is not encrypted without a key: CloudWatch cannot publish to a topic with AWS's own key for SNS, and
   * only the alarm's history would show that. Source: AWS re:Post knowledge center, "configure CloudWatch alarms with an encrypted SNS
   * topic". The messages name the alarm and its metric, and no item.
   */
  #ownTopic(place: Place, sweep: Deployment): SnsTopic {
    const { name, kmsKeyArn } = sweep;
    const topic = `${name}-alarms`;
    return new SnsTopic(this, 'topic', {
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
}

/** An alarm of a deployment as a resource. @param topicArn topic that it notifies */
function metricAlarm(
  scope: Construct,
  alarm: DeployedAlarm,
  topicArn: string | undefined,
): CloudwatchMetricAlarm {
  const actions = topicArn === undefined ? [] : [topicArn];
  return new CloudwatchMetricAlarm(scope, kebab(alarm.alarm), {
    alarmName: alarm.name,
    alarmDescription: descriptionOf(alarm),
    ...(alarm.isHeartbeat ? heartbeatOf(alarm) : valuesOf(alarm)),
    comparisonOperator: alarm.comparison,
    threshold: alarm.threshold,
    treatMissingData: alarm.treatMissingData,
    alarmActions: actions,
    okActions: actions,
  });
}

/** Arguments of an alarm on the values of a metric, or on a sum of metrics. */
function valuesOf({ metric, others, statistic, periodSeconds, periods }: DeployedAlarm) {
  if (others.length > 0) {
    const queries = [metric, ...others].map(({ namespace, name, dimensions }, index) => ({
      id: `m${index}`,
      metric: {
        namespace,
        metricName: name,
        dimensions: { ...dimensions },
        stat: statistic,
        period: periodSeconds,
      },
    }));
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
    period: periodSeconds,
    evaluationPeriods: periods,
  };
}

/** Arguments of an alarm on a metric's missing datapoints. */
function heartbeatOf({ metric, statistic, periodSeconds, periods }: DeployedAlarm) {
  const { metricId, expression, evaluationPeriods, datapointsToAlarm } = HEARTBEAT;
  return {
    metricQuery: [
      { id: 'silence', expression, label: `${metric.name}, 0 once it is silent`, returnData: true },
      {
        id: metricId,
        metric: {
          namespace: metric.namespace,
          metricName: metric.name,
          dimensions: { ...metric.dimensions },
          stat: statistic,
          period: periodSeconds * periods,
        },
      },
    ],
    evaluationPeriods,
    datapointsToAlarm,
  };
}
