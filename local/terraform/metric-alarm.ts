import { type MetricMath, MetricMathError, parseMetricMath } from '../cloudwatch/metric-math.ts';
import { Fields } from './fields.ts';
import type { ResolvedBlock } from './stack.ts';

export const COMPARISONS = [
  'GreaterThanThreshold',
  'GreaterThanOrEqualToThreshold',
  'LessThanThreshold',
  'LessThanOrEqualToThreshold',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const MISSING_DATA = ['missing', 'breaching', 'notBreaching', 'ignore'] as const;
export type MissingData = (typeof MISSING_DATA)[number];

const STATISTICS = ['SampleCount', 'Average', 'Sum', 'Minimum', 'Maximum'] as const;

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

/** Percentiles, as the local CloudWatch can compute them. */
const PERCENTILE = /^p(100|\d{1,2}(\.\d{1,10})?)$/;

/** Reads an `aws_cloudwatch_metric_alarm` on one metric, or on one expression of metrics; others are a problem. */
export function readMetricAlarm(block: ResolvedBlock, arn: string, problems: string[]): AlarmResource {
  const fields = Fields.of(block, problems);
  const name = fields.string('alarm_name');
  const description = fields.optionalString('alarm_description');
  const queries = fields.blocks('metric_query');
  const metric = queries.length === 0 ? readMetric(fields) : readQueries(fields, queries);
  const evaluationPeriods = fields.optionalNumber('evaluation_periods') ?? 0;
  if (!(Number.isInteger(evaluationPeriods) && evaluationPeriods >= 1)) {
    fields.problem('evaluation_periods', 'a whole number above 0', evaluationPeriods);
  }
  const datapointsToAlarm = fields.optionalNumber('datapoints_to_alarm') ?? evaluationPeriods;
  if (
    !(Number.isInteger(datapointsToAlarm) && datapointsToAlarm >= 1 && datapointsToAlarm <= evaluationPeriods)
  ) {
    fields.problem('datapoints_to_alarm', 'a whole number from 1 to evaluation_periods', datapointsToAlarm);
  }
  const threshold = fields.optionalNumber('threshold');
  if (threshold === undefined) fields.problem('threshold', 'a number', threshold);
  const alarm: AlarmResource = {
    address: block.address,
    name,
    arn,
    region: block.place.region,
    ...(description !== undefined && { description }),
    ...metric,
    evaluationPeriods,
    datapointsToAlarm,
    threshold: threshold ?? 0,
    comparison: fields.oneOf('comparison_operator', COMPARISONS),
    treatMissingData: fields.oneOf('treat_missing_data', MISSING_DATA),
    alarmActions: fields.stringList('alarm_actions'),
    okActions: fields.stringList('ok_actions'),
  };
  // Without an action nobody is told locally either way; the line in the terminal is for the state.
  fields.done([
    'actions_enabled',
    'depends_on',
    'evaluate_low_sample_count_percentiles',
    'insufficient_data_actions',
    'lifecycle',
    'provider',
    'region',
    'tags',
    'tags_all',
    'unit',
  ]);
  return alarm;
}

type ReadMetric = Pick<
  AlarmResource,
  'namespace' | 'metricName' | 'dimensions' | 'statistic' | 'period' | 'expression'
>;

function readMetric(fields: Fields): ReadMetric {
  const plain = fields.optionalString('statistic');
  const extended = fields.optionalString('extended_statistic');
  if (plain !== undefined && !STATISTICS.some(each => each === plain)) {
    fields.problem('statistic', STATISTICS.join(' or '), plain);
  }
  if (extended !== undefined && !PERCENTILE.test(extended)) {
    fields.problem('extended_statistic', 'a percentile such as p99', extended);
  }
  if ((plain === undefined) === (extended === undefined)) {
    fields.problem('statistic', 'either statistic or extended_statistic', plain);
  }
  return { ...readIdentity(fields), statistic: plain ?? extended ?? '' };
}

/** A metric has these, and so has one of an expression. */
function readIdentity(fields: Fields) {
  const period = fields.optionalNumber('period') ?? 0;
  if (!(period >= 60 && period % 60 === 0)) {
    fields.problem(
      'period',
      'a multiple of 60 seconds (the metrics here have one datapoint a minute)',
      period,
    );
  }
  return {
    namespace: fields.string('namespace'),
    metricName: fields.string('metric_name'),
    dimensions: fields.stringMap('dimensions'),
    period,
  };
}

/** One expression, whose data the alarm looks at, and the metrics that it is made of. */
function readQueries(alarm: Fields, queries: readonly Fields[]): ReadMetric {
  let text: string | undefined;
  const metrics: Record<string, ReadMetric> = {};
  for (const query of queries) {
    const id = query.string('id');
    const expression = query.optionalString('expression');
    const block = query.block('metric');
    const isReturned = query.boolean('return_data', false);
    if (isReturned !== (expression !== undefined)) {
      query.problem('return_data', 'true for the expression, and for nothing else', isReturned);
    }
    if (expression !== undefined) text = expression;
    if (block !== undefined) {
      const statistic = block.string('stat');
      if (!(PERCENTILE.test(statistic) || STATISTICS.some(each => each === statistic))) {
        block.problem('stat', `${STATISTICS.join(' or ')} or a percentile such as p99`, statistic);
      }
      metrics[id] = { ...readIdentity(block), statistic };
      block.done(['unit']);
    }
    query.done(['label']);
  }
  const none = { namespace: '', metricName: '', dimensions: {}, statistic: '', period: 60 };
  const [metric, ...others] = Object.values(metrics);
  if (text === undefined || metric === undefined || queries.length !== others.length + 2) {
    alarm.problem('metric_query', 'one expression and its metrics', `${queries.length} queries`);
    return none;
  }
  if (others.some(({ period }) => period !== metric.period)) {
    alarm.problem('metric_query', 'metrics of one period', others.map(({ period }) => period).join(', '));
  }
  try {
    return { ...metric, expression: { text, metrics, math: parseMetricMath(text, Object.keys(metrics)) } };
  } catch (error) {
    if (!(error instanceof MetricMathError)) throw error;
    alarm.problem('metric_query.expression', error.message, text);
    return none;
  }
}
