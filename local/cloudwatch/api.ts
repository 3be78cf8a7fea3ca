import { ApiRequestError } from '../api-server.ts';
import type { JsonOperation } from '../aws-json.ts';
import type { AlarmExpression } from '../stack/metric-alarm.ts';
import type { LocalCloudWatch, SeenAlarm } from './cloudwatch.ts';
import type { MetricId, MetricStore } from './metric-store.ts';

type Input = Readonly<Record<string, unknown>>;

/** The operations of the API that are answered, by name. What one of them is asked for and does not know, it refuses. */
export function cloudWatchOperations(cloudWatch: LocalCloudWatch): Readonly<Record<string, JsonOperation>> {
  const { metrics } = cloudWatch;
  return {
    DescribeAlarms: input => describeAlarms(cloudWatch, input),
    GetMetricData: input => getMetricData(metrics, input),
    GetMetricStatistics: input => getMetricStatistics(metrics, input),
    ListMetrics: input => listMetrics(metrics, input),
  };
}

/** Alarms of one answer, as on AWS. */
const MOST_ALARMS = 100;

function describeAlarms({ alarms }: LocalCloudWatch, input: Input): object {
  only(input, ['AlarmNames', 'AlarmNamePrefix', 'AlarmTypes', 'StateValue', 'MaxRecords', 'NextToken']);
  const names = list(input, 'AlarmNames');
  const types = list(input, 'AlarmTypes');
  const prefix = text(input, 'AlarmNamePrefix') ?? '';
  const state = text(input, 'StateValue');
  const most = number(input, 'MaxRecords') ?? MOST_ALARMS;
  const from = Number(text(input, 'NextToken') ?? 0);
  const found = alarms.filter(
    seen =>
      (names === undefined || names.includes(seen.alarm.name)) &&
      (types === undefined || types.includes('MetricAlarm')) &&
      seen.alarm.name.startsWith(prefix) &&
      (state === undefined || state === seen.state),
  );
  return {
    MetricAlarms: found.slice(from, from + most).map(asDescribed),
    CompositeAlarms: [],
    ...(found.length > from + most && { NextToken: String(from + most) }),
  };
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

function getMetricData(metrics: MetricStore, input: Input): object {
  only(input, ['MetricDataQueries', 'StartTime', 'EndTime', 'ScanBy', 'MaxDatapoints', 'LabelOptions']);
  const queries = objects(input, 'MetricDataQueries');
  const newestFirst = text(input, 'ScanBy') !== 'TimestampAscending';
  const results = queries.flatMap(query => {
    only(query, ['Id', 'MetricStat', 'Label', 'ReturnData']);
    if (query['ReturnData'] === false) return [];
    const stat = (query['MetricStat'] ?? {}) as Input;
    only(stat, ['Metric', 'Period', 'Stat']);
    const metric = metricOf((stat['Metric'] ?? {}) as Input);
    const points = series(metrics, metric, required(text(stat, 'Stat'), 'Stat'), spanOf(input, stat));
    if (newestFirst) points.reverse();
    return [
      {
        Id: query['Id'],
        Label: query['Label'] ?? metric.name,
        Timestamps: points.map(({ at }) => at / 1000),
        Values: points.map(({ value }) => value),
        StatusCode: 'Complete',
      },
    ];
  });
  return { MetricDataResults: results, Messages: [] };
}

function getMetricStatistics(metrics: MetricStore, input: Input): object {
  only(input, [
    ...['Namespace', 'MetricName', 'Dimensions', 'StartTime', 'EndTime', 'Period'],
    ...['Statistics', 'ExtendedStatistics', 'Unit'],
  ]);
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
  for (const statistic of list(input, 'Statistics') ?? []) {
    add(statistic, (point, value) => {
      point[statistic] = value;
    });
  }
  for (const statistic of list(input, 'ExtendedStatistics') ?? []) {
    add(statistic, (point, value) => {
      point['ExtendedStatistics'] = { ...(point['ExtendedStatistics'] as object), [statistic]: value };
    });
  }
  return { Label: metric.name, Datapoints: [...datapoints.values()] };
}

function listMetrics(metrics: MetricStore, input: Input): object {
  only(input, [
    'Namespace',
    'MetricName',
    'Dimensions',
    'NextToken',
    'RecentlyActive',
    'IncludeLinkedAccounts',
  ]);
  const namespace = text(input, 'Namespace');
  const metricName = text(input, 'MetricName');
  const wanted = input['Dimensions'] === undefined ? [] : objects(input, 'Dimensions');
  const found = metrics.list().filter(
    metric =>
      (namespace === undefined || metric.namespace === namespace) &&
      (metricName === undefined || metric.name === metricName) &&
      wanted.every(({ Name, Value }) => {
        const value = metric.dimensions[String(Name)];
        return value !== undefined && (Value === undefined || Value === value);
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

/** Datapoints of one query, as on AWS. */
const MOST_DATAPOINTS = 100_800;

function spanOf(times: Input, { Period }: Input): Span {
  const period = Number(Period) * 1000;
  if (!(period >= 60_000 && period % 60_000 === 0)) {
    throw invalid('Period', 'a multiple of 60 seconds', Period);
  }
  const from = Math.floor(timeOf(times, 'StartTime') / period) * period;
  const to = timeOf(times, 'EndTime');
  if ((to - from) / period > MOST_DATAPOINTS) {
    throw invalid('EndTime', `at most ${MOST_DATAPOINTS} periods after StartTime`, times['EndTime']);
  }
  return { from, to, period };
}

function metricOf(input: Input): MetricId {
  const dimensions = input['Dimensions'] === undefined ? [] : objects(input, 'Dimensions');
  return {
    namespace: required(text(input, 'Namespace'), 'Namespace'),
    name: required(text(input, 'MetricName'), 'MetricName'),
    dimensions: Object.fromEntries(dimensions.map(({ Name, Value }) => [String(Name), String(Value)])),
  };
}

const asDimensions = (dimensions: MetricId['dimensions']): object[] =>
  Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));

function only(input: Input, known: readonly string[]): void {
  const unknown = Object.keys(input).find(field => !known.includes(field));
  if (unknown !== undefined) {
    throw invalid(
      unknown,
      `one of ${known.join(', ')}; the local CloudWatch knows no others`,
      input[unknown],
    );
  }
}

function text(input: Input, field: string): string | undefined {
  const value = input[field];
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(field, 'a text', value);
}

function number(input: Input, field: string): number | undefined {
  const value = input[field];
  if (value === undefined || typeof value === 'number') return value;
  throw invalid(field, 'a number', value);
}

function list(input: Input, field: string): readonly string[] | undefined {
  const value = input[field];
  if (value === undefined || Array.isArray(value)) return value as readonly string[] | undefined;
  throw invalid(field, 'a list', value);
}

function objects(input: Input, field: string): readonly Input[] {
  const value = input[field];
  if (Array.isArray(value) && value.every(one => typeof one === 'object' && one !== null)) {
    return value as readonly Input[];
  }
  throw invalid(field, 'a list of objects', value);
}

/** JSON of the API has times in epoch seconds. */
function timeOf(input: Input, field: string): number {
  return required(number(input, field), field) * 1000;
}

function required<Value>(value: Value | undefined, field: string): Value {
  if (value !== undefined) return value;
  throw new ApiRequestError('MissingRequiredParameterException', `${field}: expected a value, got nothing`);
}

function invalid(field: string, expected: string, got: unknown): ApiRequestError {
  return new ApiRequestError(
    'InvalidParameterValueException',
    `${field}: expected ${expected}, got ${JSON.stringify(got)}`,
  );
}
