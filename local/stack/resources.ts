import {
  type AlarmedMetric,
  type AlarmResource,
  COMPARISONS,
  MetricMathError,
  MISSING_DATA,
  parseMetricMath,
} from 'aws-on-loopback/cloudwatch/alarm';
import { type EventSourceMappingResource, readFilter } from 'aws-on-loopback/streams/mapping-settings';
import { boolean, kind, oneOf, text, whole } from '../../expiry/fields.ts';
import { type Arguments, type Found, TEXT, TEXTS } from './arguments.ts';

const STREAM_ARN = /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255})\/stream\/.+$/;
const STREAM = text(STREAM_ARN, 'the ARN of a DynamoDB stream, the only source that is read locally');
const QUEUE = text(/^arn:[^:]+:sqs:[^:]+:\d{12}:[A-Za-z0-9_-]{1,80}$/, 'the ARN of a standard SQS queue');

const RESPONSES = kind<readonly string[]>(
  value => Array.isArray(value) && value.every(type => type === 'ReportBatchItemFailures'),
  '["ReportBatchItemFailures"] or none',
);

const FILTER = kind<string>(pattern => {
  try {
    return readFilter(String(pattern)) !== undefined;
  } catch {
    return false;
  }
}, 'a filter that is run on this machine: fields and the values that they may have');

export function readMapping(args: Arguments, { address }: Found): EventSourceMappingResource {
  const streamArn = args.get('event_source_arn', STREAM);
  const filters = args.block('filter_criteria')?.blocks('filter') ?? [];
  const failureQueueArn = args
    .block('destination_config')
    ?.block('on_failure')
    ?.get('destination_arn', QUEUE);
  return {
    address,
    tableName: STREAM_ARN.exec(streamArn)?.[1] ?? '',
    streamArn,
    functionName: args.get('function_name', TEXT),
    isEnabled: args.find('enabled', boolean()) ?? true,
    startingPosition: args.get('starting_position', oneOf(['TRIM_HORIZON', 'LATEST'])),
    settings: {
      batchSize: args.get('batch_size', whole(1, 10_000)),
      batchingWindowSeconds: args.find('maximum_batching_window_in_seconds', whole(0, 300)) ?? 0,
      filters: filters.map(filter => readFilter(filter.get('pattern', FILTER))),
      reportsItemFailures: (args.find('function_response_types', RESPONSES) ?? []).length > 0,
      bisects: args.find('bisect_batch_on_function_error', boolean()) ?? false,
      maximumRecordAgeSeconds: limitOf(args, 'maximum_record_age_in_seconds', 604_800),
      maximumRetryAttempts: limitOf(args, 'maximum_retry_attempts', 10_000),
    },
    ...(failureQueueArn !== undefined && { failureQueueArn }),
  };
}

/** Reads a limit; undefined for -1, which means no limit in Lambda. */
function limitOf(args: Arguments, name: string, most: number): number | undefined {
  const limit = args.find(name, whole(-1, most));
  return limit === -1 ? undefined : limit;
}

/** Statistics that the local CloudWatch supports. */
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

/** Reads the metric of an alarm, or the first metric of its expression. */
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

/** Reads the fields that a metric and a metric of an expression share. */
function readIdentity(args: Arguments) {
  return {
    namespace: args.get('namespace', TEXT),
    metricName: args.get('metric_name', TEXT),
    dimensions: args.texts('dimensions'),
    period: args.get('period', PERIOD),
  };
}
