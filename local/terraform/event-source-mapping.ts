import { FilterError, type RecordFilter, readFilter } from '../streams/filter.ts';
import type { MappingSettings } from '../streams/mapping-settings.ts';
import { Fields } from './fields.ts';
import type { ResolvedBlock } from './stack.ts';

/** A function that a table's stream calls. */
export interface EventSourceMappingResource {
  readonly address: string;
  readonly tableName: string;
  /** The stream's; its label is made up, as nobody knows that of a table before it is made. */
  readonly streamArn: string;
  /** Name or ARN. */
  readonly functionName: string;
  readonly isEnabled: boolean;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly settings: MappingSettings;
  /** ARN of the queue that gets what is given up. */
  readonly failureQueueArn?: string;
}

const STREAM_ARN = /^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/([A-Za-z0-9_.-]{3,255})\/stream\/.+$/;
const QUEUE_ARN = /^arn:[^:]+:sqs:[^:]+:\d{12}:[A-Za-z0-9_-]{1,80}$/;

/** Lambda's own. Source: Lambda API reference, CreateEventSourceMapping. */
const DEFAULT_BATCH_SIZE = 100;
const FOREVER = -1;

/**
 * Reads an `aws_lambda_event_source_mapping` of a DynamoDB stream. What the poller does not do is a problem: another event source,
 * several batches of a shard at a time, tumbling windows, filters with operators, destinations that are no queue.
 */
export function readEventSourceMapping(block: ResolvedBlock, problems: string[]): EventSourceMappingResource {
  const fields = Fields.of(block, problems);
  const streamArn = fields.string('event_source_arn');
  const tableName = STREAM_ARN.exec(streamArn)?.[1] ?? '';
  if (streamArn !== '' && tableName === '') {
    fields.problem(
      'event_source_arn',
      'the ARN of a DynamoDB stream, the only source that is read locally',
      streamArn,
    );
  }
  const functionName = fields.string('function_name');
  const startingPosition = fields.oneOf('starting_position', ['TRIM_HORIZON', 'LATEST']);
  const isEnabled = fields.boolean('enabled', true);
  const batchSize = whole(fields, 'batch_size', 1, 10_000) ?? DEFAULT_BATCH_SIZE;
  const batchingWindowSeconds = whole(fields, 'maximum_batching_window_in_seconds', 0, 300) ?? 0;
  const age = wholeOr(fields, 'maximum_record_age_in_seconds', 60, 604_800);
  const retries = wholeOr(fields, 'maximum_retry_attempts', 0, 10_000);
  const bisects = fields.boolean('bisect_batch_on_function_error', false);
  const types = fields.stringList('function_response_types');
  if (types.some(type => type !== 'ReportBatchItemFailures')) {
    fields.problem('function_response_types', '["ReportBatchItemFailures"] or none', types);
  }
  const factor = fields.optionalNumber('parallelization_factor') ?? 1;
  if (factor !== 1) {
    fields.problem('parallelization_factor', '1 (locally a shard has one invocation at a time)', factor);
  }
  const tumbling = fields.optionalNumber('tumbling_window_in_seconds') ?? 0;
  if (tumbling !== 0) fields.problem('tumbling_window_in_seconds', '0 or none (not run locally)', tumbling);
  const filters = readFilters(fields);
  const failureQueueArn = readDestination(fields);
  // Terraform asks for several metrics of a mapping; locally there is IteratorAge, which is the function's.
  fields.done([
    'depends_on',
    'lifecycle',
    'metrics_config',
    'provider',
    'region',
    'tags',
    'tags_all',
    'timeouts',
  ]);
  return {
    address: block.address,
    tableName,
    streamArn,
    functionName,
    isEnabled,
    startingPosition,
    settings: {
      batchSize,
      batchingWindowSeconds,
      filters,
      reportsItemFailures: types.length > 0,
      bisects,
      maximumRecordAgeSeconds: age,
      maximumRetryAttempts: retries,
    },
    ...(failureQueueArn !== undefined && { failureQueueArn }),
  };
}

function whole(fields: Fields, field: string, min: number, max: number): number | undefined {
  const value = fields.optionalNumber(field);
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value;
  fields.problem(field, `a whole number from ${min} to ${max}`, value);
  return undefined;
}

/** undefined for -1, which stands for no limit and is the default. */
function wholeOr(fields: Fields, field: string, min: number, max: number): number | undefined {
  const value = fields.optionalNumber(field) ?? FOREVER;
  if (value === FOREVER) return undefined;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  fields.problem(field, `-1 or a whole number from ${min} to ${max}`, value);
  return undefined;
}

function readFilters(fields: Fields): RecordFilter[] {
  const criteria = fields.block('filter_criteria');
  const filters = (criteria?.blocks('filter') ?? []).flatMap((filter): RecordFilter[] => {
    const pattern = filter.string('pattern');
    filter.done();
    try {
      return pattern === '' ? [] : [readFilter(pattern)];
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      filter.problem('pattern', `a filter that is run locally (${error.message})`, pattern);
      return [];
    }
  });
  criteria?.done();
  return filters;
}

function readDestination(fields: Fields): string | undefined {
  const config = fields.block('destination_config');
  const onFailure = config?.block('on_failure');
  const arn = onFailure?.string('destination_arn');
  onFailure?.done();
  config?.done();
  if (arn === undefined || arn === '' || QUEUE_ARN.test(arn)) return arn || undefined;
  fields.problem('destination_config.on_failure.destination_arn', 'the ARN of a standard SQS queue', arn);
  return undefined;
}
