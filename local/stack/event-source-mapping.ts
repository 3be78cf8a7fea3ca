import { readFilter } from '../streams/filter.ts';
import type { MappingSettings } from '../streams/mapping-settings.ts';
import { type ArgumentsOf, type Found, listOf, STREAM_ARN } from './arguments.ts';

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

/** Lambda's word for no limit. */
const FOREVER = -1;

const limit = (value: number = FOREVER) => (value === FOREVER ? undefined : value);

export function toMapping(
  { address }: Found,
  args: ArgumentsOf<'aws_lambda_event_source_mapping'>,
): EventSourceMappingResource {
  const { event_source_arn: streamArn, function_name: functionName } = args;
  const [criteria] = listOf(args.filter_criteria);
  const [destination] = listOf(args.destination_config);
  const [onFailure] = listOf(destination?.on_failure);
  return {
    address,
    tableName: STREAM_ARN.exec(streamArn)?.[1] ?? '',
    streamArn,
    functionName,
    isEnabled: args.enabled ?? true,
    startingPosition: args.starting_position,
    settings: {
      batchSize: args.batch_size,
      batchingWindowSeconds: args.maximum_batching_window_in_seconds ?? 0,
      filters: listOf(criteria?.filter).map(({ pattern }) => readFilter(pattern)),
      reportsItemFailures: (args.function_response_types ?? []).length > 0,
      bisects: args.bisect_batch_on_function_error ?? false,
      maximumRecordAgeSeconds: limit(args.maximum_record_age_in_seconds),
      maximumRetryAttempts: limit(args.maximum_retry_attempts),
    },
    ...(onFailure !== undefined && { failureQueueArn: onFailure.destination_arn }),
  };
}
