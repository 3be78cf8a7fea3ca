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

/** An alarm on one metric. */
export interface AlarmResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly region: string;
  readonly description?: string;
  readonly namespace: string;
  readonly metricName: string;
  readonly dimensions: Readonly<Record<string, string>>;
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

/** Percentiles, as the local CloudWatch can compute them. */
const PERCENTILE = /^p(100|\d{1,2}(\.\d{1,10})?)$/;

/** Reads an `aws_cloudwatch_metric_alarm` on one metric; alarms on expressions are a problem. */
export function readMetricAlarm(block: ResolvedBlock, arn: string, problems: string[]): AlarmResource {
  const fields = Fields.of(block, problems);
  const name = fields.string('alarm_name');
  const description = fields.optionalString('alarm_description');
  const period = fields.optionalNumber('period') ?? 0;
  if (!(period >= 60 && period % 60 === 0)) {
    fields.problem(
      'period',
      'a multiple of 60 seconds (the metrics here have one datapoint a minute)',
      period,
    );
  }
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
  const threshold = fields.optionalNumber('threshold');
  if (threshold === undefined) fields.problem('threshold', 'a number', threshold);
  const alarm: AlarmResource = {
    address: block.address,
    name,
    arn,
    region: block.place.region,
    ...(description !== undefined && { description }),
    namespace: fields.string('namespace'),
    metricName: fields.string('metric_name'),
    dimensions: fields.stringMap('dimensions'),
    statistic: plain ?? extended ?? '',
    period,
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
