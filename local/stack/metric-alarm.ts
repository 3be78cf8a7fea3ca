import { mapValues } from '../../stacks/map-values.ts';
import { type MetricMath, MetricMathError, parseMetricMath } from '../cloudwatch/metric-math.ts';
import { TerraformError } from '../errors.ts';
import { type ArgumentsOf, type COMPARISONS, type Found, listOf, type MISSING_DATA } from './arguments.ts';

export type Comparison = (typeof COMPARISONS)[number];
export type MissingData = (typeof MISSING_DATA)[number];

/** An alarm on one metric, or on an expression of one or several of the same period. */
export interface AlarmResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly description?: string;
  readonly namespace: string;
  readonly metricName: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** The alarm looks at this instead of the metric itself. */
  readonly expression?: AlarmExpression;
  /** `Sum`, `p99`… */
  readonly statistic: string;
  /** Seconds, a multiple of 60. */
  readonly period: number;
  /** N of "M out of N". */
  readonly evaluationPeriods: number;
  /** M of "M out of N". */
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison: Comparison;
  readonly treatMissingData: MissingData;
  readonly alarmActions: readonly string[];
  readonly okActions: readonly string[];
}

/** A metric of an expression. */
export type AlarmedMetric = Pick<AlarmResource, 'namespace' | 'metricName' | 'dimensions' | 'statistic'>;

export interface AlarmExpression {
  readonly text: string;
  readonly math: MetricMath;
  /** By what it calls them, the alarm's own first. */
  readonly metrics: Readonly<Record<string, AlarmedMetric>>;
}

type AlarmArguments = ArgumentsOf<'aws_cloudwatch_metric_alarm'>;

/** @throws {TerraformError} for one that overrides make what CloudWatch refuses, or on an expression that is not evaluated here */
export function toAlarm({ address, region, attribute }: Found, args: AlarmArguments): AlarmResource {
  const { alarm_description: description, evaluation_periods: evaluationPeriods } = args;
  const { datapoints_to_alarm: datapointsToAlarm = evaluationPeriods } = args;
  if (datapointsToAlarm > evaluationPeriods) {
    throw new TerraformError([
      `${address}.datapoints_to_alarm: expected at most evaluation_periods (${evaluationPeriods}), got ${datapointsToAlarm}. ` +
        'Correct both in overrides of the configuration, or set them by the prop alarms.',
    ]);
  }
  return {
    address,
    name: args.alarm_name,
    arn: attribute('arn'),
    region,
    ...(description !== undefined && { description }),
    ...metricOf(address, args),
    evaluationPeriods,
    datapointsToAlarm,
    threshold: args.threshold,
    comparison: args.comparison_operator,
    treatMissingData: args.treat_missing_data ?? 'missing',
    alarmActions: args.alarm_actions ?? [],
    okActions: args.ok_actions ?? [],
  };
}

type OwnMetric = Pick<
  AlarmResource,
  'namespace' | 'metricName' | 'dimensions' | 'statistic' | 'period' | 'expression'
>;

/** The metric that an alarm looks at, or the first of the expression that it looks at. */
function metricOf(address: string, args: AlarmArguments): OwnMetric {
  const queries = listOf(args.metric_query);
  if (queries.length === 0) {
    const { namespace = '', metric_name: metricName = '', dimensions = {}, period = 0 } = args;
    const { statistic, extended_statistic: percentile } = args;
    if (statistic !== undefined && percentile !== undefined) {
      throw new TerraformError([
        `${address}.statistic: expected either statistic or extended_statistic, got both. Take the one out of overrides of the configuration.`,
      ]);
    }
    return {
      namespace,
      metricName,
      dimensions: texts(dimensions),
      statistic: statistic ?? percentile ?? '',
      period,
    };
  }
  const metrics = Object.fromEntries(
    queries.flatMap(({ id, metric: block }) =>
      listOf(block).map(
        ({ namespace, metric_name: metricName, dimensions = {}, stat: statistic, period }) => [
          id,
          { namespace, metricName, dimensions: texts(dimensions), period, statistic },
        ],
      ),
    ),
  );
  const text = queries.find(({ return_data: isReturned }) => isReturned)?.expression ?? '';
  const [metric] = Object.values(metrics);
  try {
    const math = parseMetricMath(text, Object.keys(metrics));
    if (metric !== undefined) return { ...metric, expression: { text, metrics, math } };
  } catch (error) {
    if (!(error instanceof MetricMathError)) throw error;
    throw new TerraformError([
      `${address}.metric_query.expression: expected ${error.message}, got ${JSON.stringify(text)}.`,
    ]);
  }
  throw new TerraformError([
    `${address}.metric_query: expected one expression and its metrics, got no metric.`,
  ]);
}

const texts = (values: Readonly<Record<string, unknown>>) => mapValues(values, String);
