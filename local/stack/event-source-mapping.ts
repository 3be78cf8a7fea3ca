import { type EventSourceMappingResource, readFilter } from 'aws-on-loopback/streams/mapping-settings';
import { boolean, kind, oneOf, text, whole } from '../../expiry/fields.ts';
import { type Arguments, type Found, TEXT } from './arguments.ts';

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
