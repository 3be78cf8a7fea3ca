import { lateMs, METRIC_DIMENSIONS, METRICS_NAMESPACE } from '../../functions/record-metrics/metrics.ts';
import { DEPLOYMENT_DIMENSION } from '../../functions/runtime/deployment.ts';
import type { Deployment } from './deployments.ts';
import { deadLetterQueueOf } from './names.ts';
import { pipesOf } from './pipe-props.ts';

export interface MetricReference {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

type Metrics = readonly [MetricReference, ...MetricReference[]];

interface Alarm {
  readonly by: 'sweep' | 'deployment' | 'AWS/States' | 'AWS/SQS';
  /**
   * Names of metrics. Sources of AWS's names: Step Functions Developer Guide, "Monitoring Step Functions metrics using Amazon CloudWatch";
   * SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS".
   */
  readonly names: readonly string[];
  readonly statistic: 'Sum' | 'Maximum' | 'p99';
  readonly comparison: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold';
  /** In the metric's unit. Undefined: {@link lateMs}, the lag above which a deletion counts as late. */
  readonly threshold: number | undefined;
  readonly unit: string;
  readonly periodSeconds: 60 | 300;
  readonly periods: number;
  readonly isHeartbeat?: true;
  readonly treatMissingData: 'notBreaching' | 'ignore';
  readonly ofPipes?: true;
  readonly help: string;
}

/**
 * Settings of an alarm that sounds when a metric gets no more datapoints, but not before the first datapoint. Source: CloudWatch User
 * Guide, "Using math expressions with CloudWatch metrics".
 */
export const HEARTBEAT = {
  metricId: 'beats',
  expression: 'IF(FILL(beats, REPEAT), FILL(beats, 0))',
  // With two periods the expression also gets the datapoint before a gap, which `REPEAT` needs.
  evaluationPeriods: 2,
  datapointsToAlarm: 1,
} as const;

const ONCE = {
  statistic: 'Sum',
  comparison: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  periodSeconds: 300,
  periods: 1,
  // Missing data is normal: for example, DeletionLag has no datapoints while nothing is deleted.
  treatMissingData: 'notBreaching',
} as const;

/** All alarms, for the Terraform code, the dashboard, the commands and the table in docs/reference/alarms.md. */
export const ALARMS = {
  noSweep: {
    ...ONCE,
    by: 'AWS/States',
    names: ['ExecutionsSucceeded'],
    comparison: 'LessThanThreshold',
    unit: 'sweep',
    periodSeconds: 60,
    periods: 5,
    isHeartbeat: true,
    // When CloudWatch no longer reads the last success, HEARTBEAT's expression has no value. `ignore` then keeps the alarm as it is.
    treatMissingData: 'ignore',
    help: 'No tick succeeds any more: the schedules are off or gone, or every tick fails. Expired items stay.',
  },
  executionsFailed: {
    ...ONCE,
    by: 'AWS/States',
    names: ['ExecutionsFailed', 'ExecutionsTimedOut'],
    unit: 'executions',
    help: 'A tick failed: it could not be planned, it left something that it could not delete, or it ran for longer than it may.',
  },
  itemsFailed: {
    ...ONCE,
    by: 'sweep',
    names: ['ItemsFailed'],
    unit: 'items',
    help: 'Expired items could not be deleted. The report of the execution names some of them, and why.',
  },
  deadLetters: {
    ...ONCE,
    by: 'AWS/SQS',
    names: ['ApproximateNumberOfMessagesVisible'],
    statistic: 'Maximum',
    unit: 'messages',
    // SQS stops a queue's metrics six hours after the last call to the queue, even if it has messages. `ignore` keeps the alarm as it is.
    treatMissingData: 'ignore',
    help: 'EventBridge Scheduler could not start a sweep, or a pipe could not deliver expiries: the dead-letter queue says which.',
  },
  deletionLag: {
    ...ONCE,
    by: 'sweep',
    names: ['DeletionLag'],
    statistic: 'p99',
    threshold: undefined,
    unit: 'milliseconds',
    periods: 3,
    help: 'One deleted item in a hundred, or more, is late.',
  },
  watermarkAge: {
    ...ONCE,
    by: 'deployment',
    names: ['WatermarkAge'],
    statistic: 'Maximum',
    // 25 hours: when a table was paused for a day, a person has one more hour to resume it before the alarm.
    threshold: 25 * 60 * 60,
    unit: 'seconds',
    help: 'For more than a day the ticks have not got any further with a table: somebody forgot that it is paused, or it cannot be swept.',
  },
  pipesBehind: {
    ...ONCE,
    by: 'deployment',
    names: ['ExpiryAge'],
    statistic: 'Maximum',
    // An hour. The stream keeps a record for 24 hours, so 23 hours are left for the repair.
    threshold: 60 * 60,
    unit: 'seconds',
    ofPipes: true,
    help: 'A pipe to an archive or to what gets events is an hour behind, or more, or does not get through. What is a day behind is lost.',
  },
} as const satisfies Readonly<Record<string, Alarm>>;

export type AlarmName = keyof typeof ALARMS;
export const ALARM_NAMES = Object.keys(ALARMS) as AlarmName[];

export interface DeployedAlarm extends Omit<Alarm, 'by' | 'names' | 'threshold' | 'ofPipes'> {
  readonly alarm: AlarmName;
  readonly name: string;
  readonly metrics: Metrics;
  readonly threshold: number;
}

export function kebab(alarm: AlarmName): string {
  return alarm.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

export function alarmsOf(
  deployment: Pick<Deployment, 'name' | 'alarms' | 'tables'>,
  tickArn = '',
): readonly DeployedAlarm[] {
  const { alarms, tables, name } = deployment;
  if (alarms === false) return [];
  const hasPipes = tables.some(table => pipesOf(table).length > 0);
  const precision = tables.some(table => table.precision === 'minute') ? 'minute' : 'second';
  return ALARM_NAMES.flatMap(alarm => {
    const { by, names, threshold = lateMs({ precision }), ofPipes, ...rest }: Alarm = ALARMS[alarm];
    if (ofPipes && !hasPipes) return [];
    const metrics = metricsOf({ by, names }, name, tickArn);
    return [{ ...rest, alarm, name: `${name}-${kebab(alarm)}`, metrics, threshold }];
  });
}

export function metricsOf(
  { by, names }: Pick<Alarm, 'by' | 'names'>,
  deployment: string,
  tickArn: string,
): Metrics {
  const own = { [DEPLOYMENT_DIMENSION]: deployment };
  const dimensions: Readonly<Record<typeof by, MetricReference['dimensions']>> = {
    sweep: { ...METRIC_DIMENSIONS, ...own },
    deployment: own,
    'AWS/States': { StateMachineArn: tickArn },
    'AWS/SQS': { QueueName: deadLetterQueueOf(deployment) },
  };
  const namespace = by.startsWith('AWS/') ? by : METRICS_NAMESPACE;
  return names.map(name => ({ namespace, name, dimensions: dimensions[by] })) as unknown as Metrics;
}

/** URL of the runbook or of an alarm's section in it. A person who receives an alarm may have no copy of the repository. */
export function runbookOf(alarm?: AlarmName): string {
  const section = alarm === undefined ? '' : `#${kebab(alarm)}`;
  return `https://github.com/precise-ttl/precise-ttl/blob/main/docs/reference/alarms.md${section}`;
}

/** The description that a person receives with the alarm, at most 1,024 characters. Source: CloudWatch API reference, PutMetricAlarm. */
export function descriptionOf({ alarm, help }: Pick<DeployedAlarm, 'alarm' | 'help'>): string {
  const { ofPipes }: Alarm = ALARMS[alarm];
  const command = ofPipes ? 'doctor' : 'status';
  return `${help} Which table: npx precise-ttl ${command}. What to do: ${runbookOf(alarm)}`;
}
