import { boolean, kind, oneOf, text, whole } from '../../expiry/fields.ts';
import { type MetricMath, MetricMathError, parseMetricMath } from '../cloudwatch/metric-math.ts';
import { type Arguments, type Found, TEXT, TEXTS } from './arguments.ts';

export const COMPARISONS = [
  'GreaterThanThreshold',
  'GreaterThanOrEqualToThreshold',
  'LessThanThreshold',
  'LessThanOrEqualToThreshold',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const MISSING_DATA = ['missing', 'breaching', 'notBreaching', 'ignore'] as const;
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

/** The local CloudWatch computes these. */
const STATISTIC = text(
  /^(SampleCount|Average|Sum|Minimum|Maximum|p(100|\d{1,2}(\.\d{1,10})?))$/,
  'SampleCount, Average, Sum, Minimum, Maximum or a percentile such as p99',
);

const PERIOD = kind<number>(
  value => Number(value) >= 60 && Number(value) % 60 === 0,
  'a multiple of 60 seconds (the metrics here have one datapoint a minute)',
);

export function readAlarm(args: Arguments, found: Found): AlarmResource {
  const description = args.find('alarm_description', text(/^/));
  const evaluationPeriods = args.get('evaluation_periods', whole(1, 1_000));
  return {
    ...found,
    name: args.get('alarm_name', TEXT),
    ...(description !== undefined && { description }),
    ...readMetric(args),
    evaluationPeriods,
    datapointsToAlarm: args.find('datapoints_to_alarm', whole(1, evaluationPeriods)) ?? evaluationPeriods,
    threshold: args.get('threshold', kind<number>(Number.isFinite, 'a number')),
    comparison: args.get('comparison_operator', oneOf(COMPARISONS)),
    treatMissingData: args.find('treat_missing_data', oneOf(MISSING_DATA)) ?? 'missing',
    alarmActions: args.find('alarm_actions', TEXTS) ?? [],
    okActions: args.find('ok_actions', TEXTS) ?? [],
  };
}

/** The metric that an alarm looks at, or the first of the expression that it looks at. */
function readMetric(args: Arguments): AlarmedMetric & Pick<AlarmResource, 'period' | 'expression'> {
  const queries = args.blocks('metric_query');
  if (queries.length === 0) {
    const plain = args.find('statistic', STATISTIC);
    const percentile = args.find('extended_statistic', STATISTIC);
    if (plain !== undefined && percentile !== undefined) {
      throw args.problem('statistic', 'none beside extended_statistic');
    }
    return { ...readIdentity(args), statistic: plain ?? percentile ?? '' };
  }
  let text = '';
  const metrics: Record<string, ReturnType<typeof readMetric>> = {};
  for (const query of queries) {
    const id = query.get('id', TEXT);
    const expression = query.find('expression', TEXT);
    if (query.find('return_data', boolean()) && expression !== undefined) text = expression;
    const metric = query.block('metric');
    if (metric) metrics[id] = { ...readIdentity(metric), statistic: metric.get('stat', STATISTIC) };
  }
  const [metric] = Object.values(metrics);
  try {
    const math = parseMetricMath(text, Object.keys(metrics));
    if (metric !== undefined) return { ...metric, expression: { text, metrics, math } };
  } catch (error) {
    if (!(error instanceof MetricMathError)) throw error;
  }
  throw args.problem('metric_query', 'one expression of FILL, IF and sums, and its metrics');
}

/** A metric has these, and so has one of an expression. */
function readIdentity(args: Arguments) {
  return {
    namespace: args.get('namespace', TEXT),
    metricName: args.get('metric_name', TEXT),
    dimensions: args.texts('dimensions'),
    period: args.get('period', PERIOD),
  };
}
