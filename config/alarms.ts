import { isObject, type Kind, kind, objectProblems, whole } from '../expiry/fields.ts';
import { fileOf, type ProofFunctionName, type StreamFunctionName } from '../functions/function-list.ts';
import { MIN_AGE_SECONDS } from '../functions/plan-sweep/watermark-age.ts';
import {
  lateMs,
  METRIC_DIMENSIONS,
  recordedMetrics,
  type SweepMetricName,
} from '../functions/record-metrics/metrics.ts';
import { DEPLOYMENT_DIMENSION, type DeploymentMetricName } from '../functions/runtime/deployment-metric.ts';
import type { MetricSet } from '../functions/runtime/environment.ts';
import { type AWS_METRICS, awsMetric, type MetricReference } from './aws-metrics.ts';
import { failureQueueOf } from './names.ts';

/** The part of a deployment on which its alarms depend. */
export interface AlarmedDeployment {
  readonly name: string;
  readonly enabled: boolean;
  readonly metrics: MetricSet;
  readonly metricsNamespace: string;
  readonly alarms: AlarmsProp;
  readonly tables: readonly AlarmedTable[];
}

/** The same of a table of it. */
export interface AlarmedTable {
  readonly tableName: string;
  readonly name: string;
  readonly precisionSeconds: number;
  readonly archive?: object;
  readonly events?: object;
  readonly proof?: boolean;
}

/** The dimensions of what the alarms look at. */
export interface AlarmedResources {
  readonly stateMachineArn: string;
  readonly replayStateMachineArn: string;
  readonly deadLetterQueueName: string;
}

/** The props with which a table has further alarms. */
type Subject = 'archive' | 'events';

/** The source of an alarm's metric: the sweep itself, or AWS. */
type Watched =
  | { readonly by: 'sweep'; readonly name: SweepMetricName }
  | { readonly by: 'deployment'; readonly name: DeploymentMetricName }
  | {
      readonly by: 'AWS/States';
      readonly name: (typeof AWS_METRICS)['AWS/States']['names'][number];
      /** It adds up the replays too. @default the ticks alone */
      readonly ofBoth?: true;
    }
  | {
      readonly by: 'AWS/SQS';
      readonly name: (typeof AWS_METRICS)['AWS/SQS']['names'][number];
      /** Whose failures are in the queue. @default the starts of the schedules */
      readonly of?: StreamFunctionName;
    }
  | {
      readonly by: 'AWS/Lambda';
      readonly name: (typeof AWS_METRICS)['AWS/Lambda']['names'][number];
      readonly of: StreamFunctionName | ProofFunctionName;
    };

interface Alarm {
  readonly watched: Watched;
  readonly statistic: 'Sum' | 'Maximum' | 'p99';
  readonly comparison: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold';
  /** In the unit of the metric. */
  readonly threshold: (table: Pick<AlarmedTable, 'precisionSeconds'>) => number;
  /** Unit of the threshold, in words. */
  readonly unit:
    | 'sweep'
    | 'calls'
    | 'executions'
    | 'items'
    | 'deletions'
    | 'children'
    | 'messages'
    | 'milliseconds'
    | 'seconds';
  /** No other threshold makes sense. @default it can be tuned */
  readonly isFixed?: true;
  /** Below it the metric is not recorded. @default 1 */
  readonly leastThreshold?: number;
  readonly periodSeconds: 60 | 300;
  /** How many periods in a row must be beyond the threshold. */
  readonly periods: number;
  /** The metric is a sign of life: the alarm is about its absence, see {@link HEARTBEAT}. @default it is about its values */
  readonly isHeartbeat?: true;
  /** The meaning of a period without a datapoint. `ignore`: the alarm stays as it is. */
  readonly treatMissingData: 'notBreaching' | 'ignore';
  /** The alarm would always sound while the schedules are off. @default it makes sense then, too */
  readonly onlyEnabled?: true;
  /** It is there with this prop only, for each table that has it. @default it always is */
  readonly subject?: Subject;
  /** It is there with the prop `proof`, too. */
  readonly ofProof?: true;
  /** It is there once, and only where a table has a reader of its stream. @default it always is */
  readonly ofReaders?: true;
  /** The meaning of the alarm, a sentence. */
  readonly help: string;
}

/** Longer than this the oldest item is not left by a sweep that keeps up, or by one tick that never came. */
const OVERDUE_SECONDS = 300;

/** A day, in which somebody who has paused a table comes back to it, and an hour more, in which a scan of each day has run. */
const WATERMARK_SECONDS = 25 * 60 * 60;

/** The stream keeps a record for 24 hours: an hour behind leaves a day to mend it in. */
const DELAY_MS = 60 * 60 * 1000;

/**
 * How an alarm hears that a metric is silent which was not. What it looks at is 0 in a span that has no datapoint, but only behind
 * one that has: before the first success ever there is no datapoint at all, and so no alarm on a deployment that has just been made.
 *
 * - One datapoint is the sum of the whole span, so that a single success in it is enough. CloudWatch looks at the span that ends now,
 *   each minute.
 * - Two are evaluated, and one that is 0 is enough: so the one before, which was not, is among those that the expression is made
 *   of. That CloudWatch reads some more of them is documented, how many is not, and nothing here depends on it.
 * - When the last success is too long ago to be read, there are no datapoints any more: `ignore` lets the alarm stay as it is.
 *
 * Missing data treated as `breaching` would sound with the first evaluation, before any sweep: an alarm does not know since when it
 * is there. Sources: CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing data" and "Using math expressions with
 * CloudWatch metrics" (FILL, IF).
 */
export const HEARTBEAT = {
  metricId: 'beats',
  expression: 'IF(FILL(beats, REPEAT), FILL(beats, 0))',
  evaluationPeriods: 2,
  datapointsToAlarm: 1,
} as const;

/** Minutes without a sweep that succeeded. */
const NO_SWEEP_PERIODS = 5;

/**
 * The alarms of a deployment, by the name that the prop `alarms` calls them by; those with a subject are there for each table that has it.
 * The Terraform, the dashboard, what the commands look for, and the tables in docs/reference/metrics.md are made from this list.
 *
 * A tick that finds nothing and is not behind records no metric of ours, so missing data is good. Those of queues
 * keep their state: SQS stops its metrics six hours after the last call of a queue, with the messages still in it. So do those of
 * the stream's readers: a reader that is turned off while it is behind has no metric, and is still behind.
 */
export const ALARMS = {
  noSweep: {
    watched: { by: 'AWS/States', name: 'ExecutionsSucceeded' },
    statistic: 'Sum',
    comparison: 'LessThanThreshold',
    threshold: () => 1,
    unit: 'sweep',
    isFixed: true,
    periodSeconds: 60,
    periods: NO_SWEEP_PERIODS,
    isHeartbeat: true,
    treatMissingData: 'ignore',
    onlyEnabled: true,
    help: 'No sweep succeeds any more: the schedules are off or gone, or every sweep fails. Expired items stay.',
  },
  executionsFailed: {
    watched: { by: 'AWS/States', name: 'ExecutionsFailed', ofBoth: true },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'executions',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'A sweep failed: it could not be planned, or it left something that it could not delete.',
  },
  executionsTimedOut: {
    watched: { by: 'AWS/States', name: 'ExecutionsTimedOut', ofBoth: true },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'executions',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'A sweep ran for longer than it may, and was stopped.',
  },
  itemsFailed: {
    watched: { by: 'sweep', name: 'ItemsFailed' },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'items',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'Expired items could not be deleted. The report of the execution names some of them, and why.',
  },
  shardsFailed: {
    watched: { by: 'sweep', name: 'ShardsFailed' },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'children',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'Children of a sweep were interrupted, crashed or timed out. What they left, the next ticks look for.',
  },
  deadLetters: {
    watched: { by: 'AWS/SQS', name: 'ApproximateNumberOfMessagesVisible' },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'messages',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'ignore',
    help: 'EventBridge Scheduler could not start a sweep, and put the start into the dead-letter queue.',
  },
  journalFailed: {
    watched: { by: 'deployment', name: 'JournalFailed' },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'calls',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'The journal could not be read or written. While it cannot be read nothing is deleted, since what is paused is not known.',
  },
  deletionLag: {
    watched: { by: 'sweep', name: 'DeletionLag' },
    statistic: 'p99',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: ({ precisionSeconds }) => lateMs({ precisionSeconds }),
    unit: 'milliseconds',
    periodSeconds: 300,
    periods: 3,
    treatMissingData: 'notBreaching',
    help: 'One deleted item in a hundred, or more, is late.',
  },
  overdue: {
    watched: { by: 'sweep', name: 'OldestOverdue' },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => OVERDUE_SECONDS,
    unit: 'seconds',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'A sweep found an item that had been expired for long, and that no sweep before had deleted.',
  },
  watermarkAge: {
    watched: { by: 'deployment', name: 'WatermarkAge' },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => WATERMARK_SECONDS,
    leastThreshold: MIN_AGE_SECONDS,
    unit: 'seconds',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    help: 'For more than a day the ticks have not got any further with a table: somebody forgot that it is paused, or nobody has replayed what was missed.',
  },
  deletesUnread: {
    watched: { by: 'deployment', name: 'DeletesUnread' },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'deletions',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'notBreaching',
    ofReaders: true,
    help: 'Items were deleted that the archive or the events have not seen in the time that they have for it. The stream has their records for 24 hours.',
  },
  archiveFailures: {
    watched: {
      by: 'AWS/SQS',
      name: 'ApproximateNumberOfMessagesVisible',
      of: 'ArchiveExpiries',
    },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'messages',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'ignore',
    subject: 'archive',
    help: 'Removals were given up that could not be archived for 23 hours. The stream has them for one hour more.',
  },
  archiveDelay: {
    watched: { by: 'AWS/Lambda', name: 'IteratorAge', of: 'ArchiveExpiries' },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => DELAY_MS,
    unit: 'milliseconds',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'ignore',
    subject: 'archive',
    help: 'The archive is an hour behind the table, or more. What is a day behind is lost.',
  },
  manifestFailed: {
    watched: { by: 'AWS/Lambda', name: 'Errors', of: 'WriteManifest' },
    statistic: 'Sum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'calls',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'ignore',
    subject: 'archive',
    ofProof: true,
    help: 'A manifest of deletions could not be written. The ledger has what it needs for two weeks.',
  },
  eventFailures: {
    watched: {
      by: 'AWS/SQS',
      name: 'ApproximateNumberOfMessagesVisible',
      of: 'PublishExpiries',
    },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => 1,
    unit: 'messages',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'ignore',
    subject: 'events',
    help: 'Events were given up that could not be published for 23 hours. The stream has their items for one hour more.',
  },
  eventDelay: {
    watched: { by: 'AWS/Lambda', name: 'IteratorAge', of: 'PublishExpiries' },
    statistic: 'Maximum',
    comparison: 'GreaterThanOrEqualToThreshold',
    threshold: () => DELAY_MS,
    unit: 'milliseconds',
    periodSeconds: 300,
    periods: 1,
    treatMissingData: 'ignore',
    subject: 'events',
    help: 'The events are an hour behind the expiries, or more. What is a day behind is lost.',
  },
} as const satisfies Readonly<Record<string, Alarm>>;

export type AlarmName = keyof typeof ALARMS;
export const ALARM_NAMES = Object.keys(ALARMS) as AlarmName[];

/** The settings of an alarm. */
export interface AlarmTuning {
  /** In the unit of its metric. */
  readonly threshold?: number;
  /** How many periods in a row must be beyond it. */
  readonly periods?: number;
}

/** `false`: no alarms. Else by name what is set of one, or `false` for none of that name. */
export type AlarmsProp = false | { readonly [Name in AlarmName]?: false | AlarmTuning };

/** In the units of the metrics: 31 days in milliseconds are the most that anything can be late and still be found. */
const MAX_THRESHOLD = 31 * 24 * 60 * 60 * 1000;

/** All periods of an alarm together, with periods of less than an hour. Source: CloudWatch API reference, PutMetricAlarm. */
const MAX_SECONDS = 24 * 60 * 60;

/** The kinds of what can be set of an alarm. */
export function tuningKinds(alarm: AlarmName): Readonly<Record<string, Kind<number>>> {
  const { periodSeconds, isFixed, leastThreshold = 1, isHeartbeat }: Alarm = ALARMS[alarm];
  const spans = isHeartbeat ? HEARTBEAT.evaluationPeriods : 1;
  return {
    ...(isFixed ? {} : { threshold: whole(leastThreshold, MAX_THRESHOLD) }),
    periods: whole(1, MAX_SECONDS / (periodSeconds * spans)),
  };
}

const REMEDY = 'Correct the value, or leave the field out for its default.';

const ALARM_KINDS = Object.fromEntries(
  ALARM_NAMES.map(alarm => {
    const fields = Object.keys(tuningKinds(alarm)).join(', ');
    return [
      alarm,
      kind<false | AlarmTuning>(value => value === false || isObject(value), `false or { ${fields} }`, {
        inside: tuning =>
          tuning === false ? [] : objectProblems(tuningKinds(alarm), tuning, { remedy: REMEDY }),
      }),
    ];
  }),
);

/** The kind of the prop `alarms`. */
export const ALARMS_KIND: Kind<AlarmsProp> = kind(
  value => value === false || isObject(value),
  'false or { noSweep: …, deletionLag: { threshold: … }, … }',
  { inside: alarms => (alarms === false ? [] : objectProblems(ALARM_KINDS, alarms, { remedy: REMEDY })) },
);

/** The form of a topic's ARN. Source: SNS API reference, CreateTopic. */
export const ALARM_TOPIC = {
  pattern: /^arn:[a-z0-9-]+:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/,
  expected: "the ARN of an SNS topic, e.g. 'arn:aws:sns:eu-central-1:123456789012:on-call'",
} as const;

/** An alarm as it is deployed. */
export interface DeployedAlarm
  extends Omit<
    Alarm,
    | 'watched'
    | 'threshold'
    | 'isFixed'
    | 'leastThreshold'
    | 'onlyEnabled'
    | 'subject'
    | 'ofReaders'
    | 'ofProof'
  > {
  readonly alarm: AlarmName;
  /** In CloudWatch. */
  readonly name: string;
  /** Name of the table that it is about. @default it is about the deployment */
  readonly table?: string;
  readonly metric: MetricReference;
  /** A metric that is added to it. @default none */
  readonly other?: MetricReference;
  readonly threshold: number;
}

/** `noSweep` is `no-sweep` in the name of an alarm, and in the runbook. */
export function kebab(alarm: AlarmName): string {
  return alarm.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** Whether the metric of an alarm is recorded at all. */
export function isRecorded(alarm: AlarmName, metrics: MetricSet): boolean {
  const { watched }: Alarm = ALARMS[alarm];
  return watched.by !== 'sweep' || recordedMetrics(metrics).some(({ name }) => name === watched.name);
}

/** The prop that an alarm is about; undefined for one of the sweep itself. */
export function subjectOf(alarm: AlarmName): Subject | undefined {
  const { subject }: Alarm = ALARMS[alarm];
  return subject;
}

/** The props of which one must be there for an alarm; empty for one that always is. */
export function neededFor(alarm: AlarmName): readonly Subject[] {
  const { subject, ofReaders }: Alarm = ALARMS[alarm];
  return ofReaders ? ['archive', 'events'] : subject === undefined ? [] : [subject];
}

/** Whether there is what an alarm is about. */
export function hasSubject(alarm: AlarmName, table: Pick<AlarmedTable, Subject | 'proof'>): boolean {
  const needed = neededFor(alarm);
  const { ofProof }: Alarm = ALARMS[alarm];
  if (ofProof && table.proof) return true;
  return needed.length === 0 || needed.some(prop => table[prop] !== undefined);
}

/**
 * The alarms of a deployment: those that are not turned off, and whose metric is recorded; and those of each of its tables that are about
 * something that the table has.
 */
export function alarmsOf(
  deployment: AlarmedDeployment,
  resources: AlarmedResources,
): readonly DeployedAlarm[] {
  const { alarms, enabled, metrics, tables } = deployment;
  if (alarms === false) return [];
  const there = ALARM_NAMES.filter(alarm => {
    const { onlyEnabled }: Alarm = ALARMS[alarm];
    return alarms[alarm] !== false && isRecorded(alarm, metrics) && (enabled || !onlyEnabled);
  });
  const ofDeployment = there.filter(
    alarm => subjectOf(alarm) === undefined && tables.some(table => hasSubject(alarm, table)),
  );
  const ofTables = tables.flatMap(table =>
    there.flatMap(alarm =>
      subjectOf(alarm) !== undefined && hasSubject(alarm, table) ? [{ alarm, table }] : [],
    ),
  );
  return [
    ...ofDeployment.map(alarm => deployed(alarm, deployment, metricsOf(alarm, deployment, resources))),
    ...ofTables.map(({ alarm, table }) => ({
      ...deployed(alarm, deployment, { metric: metricOfTable(alarm, table) }),
      name: `${table.name}-${kebab(alarm)}`,
      table: table.tableName,
    })),
  ];
}

function deployed(
  alarm: AlarmName,
  deployment: AlarmedDeployment,
  metrics: Pick<DeployedAlarm, 'metric' | 'other'>,
): DeployedAlarm {
  const {
    watched: _watched,
    threshold: _byDefault,
    isFixed: _fixed,
    leastThreshold: _least,
    onlyEnabled: _enabled,
    subject: _subject,
    ofReaders: _readers,
    ofProof: _proof,
    ...rest
  }: Alarm = ALARMS[alarm];
  return {
    ...rest,
    ...metrics,
    alarm,
    name: `${deployment.name}-${kebab(alarm)}`,
    threshold: thresholdOf(alarm, deployment),
    periods: tuningOf(alarm, deployment).periods ?? rest.periods,
  };
}

/** The alarms that a deployment has, for whom it does not matter which resources they look at. */
export function deployedAlarms(deployment: AlarmedDeployment): readonly DeployedAlarm[] {
  return alarmsOf(deployment, { stateMachineArn: '', replayStateMachineArn: '', deadLetterQueueName: '' });
}

/** Names of the alarms that a deployment has, in CloudWatch. */
export function alarmNamesOf(deployment: AlarmedDeployment): readonly string[] {
  return deployedAlarms(deployment).map(({ name }) => name);
}

function metricsOf(
  alarm: AlarmName,
  deployment: AlarmedDeployment,
  resources: AlarmedResources,
): Pick<DeployedAlarm, 'metric' | 'other'> {
  const { watched }: Alarm = ALARMS[alarm];
  if (watched.by === 'sweep') return { metric: sweepMetric(watched.name, deployment) };
  if (watched.by === 'deployment') {
    const dimensions = { [DEPLOYMENT_DIMENSION]: deployment.name };
    return { metric: { namespace: deployment.metricsNamespace, name: watched.name, dimensions } };
  }
  if (watched.by !== 'AWS/States') {
    return {
      metric: awsMetric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', {
        QueueName: resources.deadLetterQueueName,
      }),
    };
  }
  const { name, ofBoth } = watched;
  const metric = awsMetric('AWS/States', name, { StateMachineArn: resources.stateMachineArn });
  if (!ofBoth) return { metric };
  return {
    metric,
    other: awsMetric('AWS/States', name, { StateMachineArn: resources.replayStateMachineArn }),
  };
}

/** The metric of a table's own alarm: that of a function of the table's stream, or of the queue of given-up records. */
function metricOfTable(alarm: AlarmName, table: AlarmedTable): MetricReference {
  const { watched }: Alarm = ALARMS[alarm];
  if (watched.by === 'AWS/Lambda') {
    return awsMetric(watched.by, watched.name, { FunctionName: `${table.name}-${fileOf(watched.of)}` });
  }
  if (watched.by !== 'AWS/SQS' || watched.of === undefined) {
    throw new TypeError(`${alarm}: expected an alarm of a function of the stream`);
  }
  return awsMetric(watched.by, watched.name, { QueueName: failureQueueOf(watched.of, table) });
}

/** A metric of the sweep's own, as CloudWatch finds it. */
export function sweepMetric(
  name: SweepMetricName,
  { name: deployment, metricsNamespace }: Pick<AlarmedDeployment, 'name' | 'metricsNamespace'>,
): MetricReference {
  return { namespace: metricsNamespace, name, dimensions: { ...METRIC_DIMENSIONS, Deployment: deployment } };
}

/** The threshold of an alarm: what is set, or its default. With tables of several precisions the coarsest counts. */
export function thresholdOf(
  alarm: AlarmName,
  deployment: Pick<AlarmedDeployment, 'alarms' | 'tables'>,
): number {
  const precisionSeconds = Math.max(...deployment.tables.map(table => table.precisionSeconds));
  return tuningOf(alarm, deployment).threshold ?? ALARMS[alarm].threshold({ precisionSeconds });
}

function tuningOf(alarm: AlarmName, { alarms }: Pick<AlarmedDeployment, 'alarms'>): AlarmTuning {
  return (alarms !== false && alarms[alarm]) || {};
}

/** Where the runbook has the section of an alarm: whoever is told of one has this text and no checkout. */
export function runbookOf(alarm: AlarmName): string {
  return `https://github.com/precise-ttl/precise-ttl/blob/main/docs/reference/alarms.md#${kebab(alarm)}`;
}

/** The text that CloudWatch shows with an alarm, and sends with it. At most 1,024 characters. Source: PutMetricAlarm. */
export function descriptionOf({
  alarm,
  help,
  table,
}: Pick<DeployedAlarm, 'alarm' | 'help' | 'table'>): string {
  const which = table === undefined ? 'Which table: npx precise-ttl status.' : `Table: ${table}.`;
  return `${help} ${which} What to do: ${runbookOf(alarm)}`;
}
