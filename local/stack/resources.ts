import {
  type AlarmedMetric,
  type AlarmResource,
  COMPARISONS,
  MetricMathError,
  MISSING_DATA,
  parseMetricMath,
} from 'aws-on-loopback/cloudwatch/alarm';
import { boolean, kind, oneOf, text, whole } from '../../expiry/fields.ts';
import { enrichmentInput, type PipeResource } from '../pipes/pipes.ts';
import { type Arguments, type Found, TEXT, TEXTS } from './arguments.ts';

const STREAM_ARN = /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255})\/stream\/.+$/;
const STREAM = text(STREAM_ARN, 'the ARN of a DynamoDB stream, the only source that is read locally');

const FILTER = kind<string>(
  value => value === '{"eventName":["REMOVE"]}',
  '{"eventName":["REMOVE"]}, the only filter that is run locally',
);

const TEMPLATE = kind<string>(value => {
  try {
    return enrichmentInput(String(value), [{}]).length > 0;
  } catch {
    return false;
  }
}, 'JSON with <aws.pipes.event.json> as the only variable');

export function readPipe(args: Arguments, { address }: Found): PipeResource {
  const streamArn = args.get('source', STREAM);
  const source = args.block('source_parameters');
  const stream = source?.block('dynamodb_stream_parameters');
  for (const filter of source?.block('filter_criteria')?.blocks('filter') ?? [])
    filter.get('pattern', FILTER);
  const enrichment = args.block('enrichment_parameters');
  return {
    address,
    name: args.get('name', TEXT),
    tableName: STREAM_ARN.exec(streamArn)?.[1] ?? '',
    enrichmentArn: args.get('enrichment', TEXT),
    inputTemplate: enrichment?.get('input_template', TEMPLATE) ?? '',
    targetArn: args.get('target', TEXT),
    batchSize: stream?.get('batch_size', whole(1, 10_000)) ?? 1,
    startingPosition: stream?.get('starting_position', oneOf(['TRIM_HORIZON', 'LATEST'])) ?? 'LATEST',
  };
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
