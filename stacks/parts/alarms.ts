import { CloudwatchMetricAlarm } from '@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js';
import { SnsTopic } from '@cdktf/provider-aws/lib/sns-topic/index.js';
import { SnsTopicPolicy } from '@cdktf/provider-aws/lib/sns-topic-policy/index.js';
import { Construct } from 'constructs';
import {
  type AlarmedResources,
  type AlarmName,
  alarmsOf,
  type DeployedAlarm,
  descriptionOf,
  HEARTBEAT,
  kebab,
} from '../alarms.ts';
import type { ResolvedProps } from '../props.ts';
import type { Place } from './role.ts';
import { tagged } from './tagged.ts';

export interface SweepAlarmsProps {
  readonly place: Place;
  readonly resources: AlarmedResources;
  readonly sweep: ResolvedProps;
}

/** The alarms of a table, and the topic that they tell. With none there is no topic either. */
export class SweepAlarms extends Construct {
  /** Undefined with `alarmTopicArn`, and without alarms. */
  readonly topic: SnsTopic | undefined;
  /** That of `alarmTopicArn`, or of the topic of its own. */
  readonly topicArn: string | undefined;
  /** Those that there are, by the name that the prop `alarms` calls them by. */
  readonly alarms: Readonly<Partial<Record<AlarmName, CloudwatchMetricAlarm>>>;

  constructor(scope: Construct, id: string, { place, resources, sweep }: SweepAlarmsProps) {
    super(scope, id);
    const deployed = alarmsOf(sweep, resources);
    const { alarmTopicArn } = sweep;
    if (deployed.length > 0 && alarmTopicArn === undefined) this.topic = this.#ownTopic(place, sweep);
    this.topicArn = deployed.length === 0 ? undefined : (alarmTopicArn ?? this.topic?.arn);
    const alarms: Partial<Record<AlarmName, CloudwatchMetricAlarm>> = {};
    for (const alarm of deployed) alarms[alarm.alarm] = this.#alarm(alarm, sweep);
    this.alarms = alarms;
  }

  #alarm(alarm: DeployedAlarm, sweep: ResolvedProps): CloudwatchMetricAlarm {
    const actions = this.topicArn === undefined ? [] : [this.topicArn];
    return new CloudwatchMetricAlarm(this, kebab(alarm.alarm), {
      alarmName: alarm.name,
      alarmDescription: descriptionOf(alarm),
      ...(alarm.isHeartbeat ? heartbeatOf(alarm) : valuesOf(alarm)),
      comparisonOperator: alarm.comparison,
      threshold: alarm.threshold,
      treatMissingData: alarm.treatMissingData,
      alarmActions: actions,
      okActions: actions,
      ...tagged(sweep),
    });
  }

  /**
   * Not encrypted without a key: AWS's own key for SNS does not let CloudWatch in, and only the alarm's history would say so.
   * Source: AWS re:Post knowledge center, "configure CloudWatch alarms with an encrypted SNS topic". The messages name the alarm and
   * its metric, and no item.
   */
  #ownTopic(place: Place, sweep: ResolvedProps): SnsTopic {
    const { name, kmsKeyArn } = sweep;
    const topic = new SnsTopic(this, 'topic', {
      name: `${name}-alarms`,
      ...(kmsKeyArn !== undefined && { kmsMasterKeyId: kmsKeyArn }),
      ...tagged(sweep),
    });
    new SnsTopicPolicy(this, 'topic-policy', {
      arn: topic.arn,
      policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Resource: topic.arn,
            Condition: {
              StringEquals: { 'aws:SourceAccount': place.account },
              ArnLike: { 'aws:SourceArn': place.arn('cloudwatch', `alarm:${name}-*`) },
            },
          },
        ],
      }),
    });
    return topic;
  }
}

/** An alarm on the values of a metric looks at this. */
function valuesOf({ metric, statistic, periodSeconds, periods }: DeployedAlarm) {
  return {
    namespace: metric.namespace,
    metricName: metric.name,
    dimensions: { ...metric.dimensions },
    // CloudWatch has percentiles in a field of their own.
    ...(statistic === 'p99' ? { extendedStatistic: statistic } : { statistic }),
    period: periodSeconds,
    evaluationPeriods: periods,
  };
}

/** An alarm on the silence of a metric looks at this. */
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
