import type { LoopbackServer } from 'stepfunctions-emulator/loopback';
import { type ApiInput, pageOf } from '../api-input.ts';
import { type JsonService, jsonProtocol, startServer } from '../service.ts';
import type { AlarmExpression } from './alarm.ts';
import type { LocalCloudWatch, SeenAlarm } from './cloudwatch.ts';
import type { MetricId, MetricStore } from './metric-store.ts';

/** Largest number of alarms in one answer, as on AWS. */
const MAX_ALARMS = 100;

/** CloudWatch in AWS JSON, the protocol of the AWS SDK for JavaScript. */
export const CLOUDWATCH = {
  // The prefix of the operation's name in a request, as the SDK sends it.
  target: 'GraniteServiceVersion20100801',
  errors: {
    invalid: 'InvalidParameterValueException',
    missing: 'MissingRequiredParameterException',
    unknown: 'InvalidParameterValueException',
  },
  operations: {
    DescribeAlarms: {
      fields: ['AlarmNames', 'AlarmNamePrefix', 'AlarmTypes', 'StateValue', 'MaxRecords', 'NextToken'],
      answer: describeAlarms,
    },
    GetMetricData: {
      fields: ['MetricDataQueries', 'StartTime', 'EndTime', 'ScanBy', 'MaxDatapoints', 'LabelOptions'],
      answer: getMetricData,
    },
    GetMetricStatistics: {
      fields: [
        ...['Namespace', 'MetricName', 'Dimensions', 'StartTime', 'EndTime', 'Period'],
        ...['Statistics', 'ExtendedStatistics', 'Unit'],
      ],
      answer: getMetricStatistics,
    },
    ListMetrics: {
      fields: [
        ...['Namespace', 'MetricName', 'Dimensions', 'NextToken', 'RecentlyActive', 'IncludeLinkedAccounts'],
      ],
      answer: listMetrics,
    },
  },
} satisfies JsonService<LocalCloudWatch>;

/** Answers the API of CloudWatch. */
export function serveCloudWatch(cloudWatch: LocalCloudWatch, port?: number): Promise<LoopbackServer> {
  return startServer(jsonProtocol(CLOUDWATCH, cloudWatch), { port });
}

function describeAlarms({ alarms }: LocalCloudWatch, input: ApiInput): object {
  const names = input.texts('AlarmNames');
  const types = input.texts('AlarmTypes');
  const prefix = input.text('AlarmNamePrefix') ?? '';
  const state = input.text('StateValue');
  const found = alarms.filter(
    seen =>
      (names === undefined || names.includes(seen.alarm.name)) &&
      (types === undefined || types.includes('MetricAlarm')) &&
      seen.alarm.name.startsWith(prefix) &&
      (state === undefined || state === seen.state),
  );
  const { page, NextToken } = pageOf(found, input.whole('MaxRecords', 1, MAX_ALARMS) ?? MAX_ALARMS, input);
  return { MetricAlarms: page.map(asDescribed), CompositeAlarms: [], NextToken };
}

function asDescribed({ alarm, state, reason, since }: SeenAlarm): object {
  const isPercentile = alarm.statistic.startsWith('p');
  return {
    AlarmName: alarm.name,
    AlarmArn: alarm.arn,
    ...(alarm.description !== undefined && { AlarmDescription: alarm.description }),
    ActionsEnabled: true,
    OKActions: alarm.okActions,
    AlarmActions: alarm.alarmActions,
    InsufficientDataActions: [],
    StateValue: state,
    StateReason: reason,
    StateUpdatedTimestamp: since / 1000,
    StateTransitionedTimestamp: since / 1000,
    ...(alarm.expression === undefined
      ? {
          MetricName: alarm.metricName,
          Namespace: alarm.namespace,
          ...(isPercentile ? { ExtendedStatistic: alarm.statistic } : { Statistic: alarm.statistic }),
          Dimensions: asDimensions(alarm.dimensions),
          Period: alarm.period,
        }
      : { Metrics: asQueries(alarm, alarm.expression) }),
    EvaluationPeriods: alarm.evaluationPeriods,
    DatapointsToAlarm: alarm.datapointsToAlarm,
    Threshold: alarm.threshold,
    ComparisonOperator: alarm.comparison,
    TreatMissingData: alarm.treatMissingData,
  };
}

function asQueries({ period: Period }: SeenAlarm['alarm'], { text, metrics }: AlarmExpression): object[] {
  return [
    { Id: 'expression', Expression: text, ReturnData: true },
    ...Object.entries(metrics).map(
      ([Id, { namespace: Namespace, metricName: MetricName, dimensions, statistic: Stat }]) => {
        const Metric = { Namespace, MetricName, Dimensions: asDimensions(dimensions) };
        return { Id, MetricStat: { Metric, Period, Stat }, ReturnData: false };
      },
    ),
  ];
}

interface Span {
  /** Epoch milliseconds, on a border of the period. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds. */
  readonly period: number;
}

function getMetricData({ metrics }: LocalCloudWatch, input: ApiInput): object {
  const queries = input.objects('MetricDataQueries', ['Id', 'MetricStat', 'Label', 'ReturnData']);
  input.required('MetricDataQueries', queries[0]);
  const newestFirst = input.text('ScanBy') !== 'TimestampAscending';
  const results = queries.flatMap(query => {
    if (query.flag('ReturnData') === false) return [];
    const stat = query.required('MetricStat', query.object('MetricStat', ['Metric', 'Period', 'Stat']));
    const metric = metricOf(
      stat.required('Metric', stat.object('Metric', ['Namespace', 'MetricName', 'Dimensions'])),
    );
    const points = series(metrics, metric, stat.requiredText('Stat'), spanOf(input, stat));
    if (newestFirst) points.reverse();
    return [
      {
        Id: query.text('Id'),
        Label: query.text('Label') ?? metric.name,
        Timestamps: points.map(({ at }) => at / 1000),
        Values: points.map(({ value }) => value),
        StatusCode: 'Complete',
      },
    ];
  });
  return { MetricDataResults: results, Messages: [] };
}

function getMetricStatistics({ metrics }: LocalCloudWatch, input: ApiInput): object {
  const metric = metricOf(input);
  const span = spanOf(input, input);
  const datapoints = new Map<number, Record<string, unknown>>();
  const add = (statistic: string, put: (point: Record<string, unknown>, value: number) => void) => {
    for (const { at, value } of series(metrics, metric, statistic, span)) {
      const point = datapoints.get(at) ?? { Timestamp: at / 1000 };
      put(point, value);
      datapoints.set(at, point);
    }
  };
  for (const statistic of input.texts('Statistics') ?? []) {
    add(statistic, (point, value) => {
      point[statistic] = value;
    });
  }
  for (const statistic of input.texts('ExtendedStatistics') ?? []) {
    add(statistic, (point, value) => {
      point['ExtendedStatistics'] = { ...(point['ExtendedStatistics'] as object), [statistic]: value };
    });
  }
  return { Label: metric.name, Datapoints: [...datapoints.values()] };
}

function listMetrics({ metrics }: LocalCloudWatch, input: ApiInput): object {
  const namespace = input.text('Namespace');
  const metricName = input.text('MetricName');
  const wanted = dimensionsOf(input);
  const found = metrics.list().filter(
    metric =>
      (namespace === undefined || metric.namespace === namespace) &&
      (metricName === undefined || metric.name === metricName) &&
      wanted.every(([name, wantedValue]) => {
        const value = metric.dimensions[name];
        return value !== undefined && (wantedValue === undefined || wantedValue === value);
      }),
  );
  return {
    Metrics: found.map(metric => ({
      Namespace: metric.namespace,
      MetricName: metric.name,
      Dimensions: asDimensions(metric.dimensions),
    })),
  };
}

/** The datapoints of a metric, the oldest first. */
function series(
  metrics: MetricStore,
  metric: MetricId,
  statistic: string,
  { from, to, period }: Span,
): { at: number; value: number }[] {
  const points: { at: number; value: number }[] = [];
  for (let at = from; at < to; at += period) {
    const value = metrics.statistic(metric, statistic, at, Math.min(at + period, to));
    if (value !== undefined) points.push({ at, value });
  }
  return points;
}

/** Largest number of datapoints in one query, as on AWS. */
const MAX_DATAPOINTS = 100_800;

function spanOf(times: ApiInput, input: ApiInput): Span {
  const period = (input.number('Period') ?? 0) * 1000;
  if (!(period >= 60_000 && period % 60_000 === 0)) {
    throw input.invalid('Period', 'a multiple of 60 seconds', input.number('Period'));
  }
  const from = Math.floor(times.required('StartTime', times.time('StartTime')) / period) * period;
  const to = times.required('EndTime', times.time('EndTime'));
  if ((to - from) / period > MAX_DATAPOINTS) {
    throw times.invalid('EndTime', `at most ${MAX_DATAPOINTS} periods after StartTime`, to / 1000);
  }
  return { from, to, period };
}

function metricOf(input: ApiInput): MetricId {
  return {
    namespace: input.requiredText('Namespace'),
    name: input.requiredText('MetricName'),
    dimensions: Object.fromEntries(dimensionsOf(input).map(([name, value]) => [name, value ?? ''])),
  };
}

const dimensionsOf = (input: ApiInput) =>
  input
    .objects('Dimensions', ['Name', 'Value'])
    .map(dimension => [dimension.requiredText('Name'), dimension.text('Value')] as const);

const asDimensions = (dimensions: MetricId['dimensions']): object[] =>
  Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
