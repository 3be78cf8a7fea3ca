import type { RecordFilter } from './filter.ts';

/** A function that a table's stream calls. */
export interface EventSourceMappingResource {
  readonly address: string;
  readonly tableName: string;
  /** ARN of the stream; its label is a placeholder, because a table's label is unknown before the table is created. */
  readonly streamArn: string;
  /** Name or ARN. */
  readonly functionName: string;
  readonly isEnabled: boolean;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly settings: MappingSettings;
  /** ARN of the queue that receives discarded records. */
  readonly failureQueueArn?: string;
}

/** Settings of an event source mapping: how records are handed to a function. */
export interface MappingSettings {
  /** Largest number of records in an invocation. */
  readonly batchSize: number;
  /** Longest time for which a record waits for others, seconds. */
  readonly batchingWindowSeconds: number;
  /** Filters of records: a record is handed over when one of them matches, or when there are none. */
  readonly filters: readonly RecordFilter[];
  /** `ReportBatchItemFailures`: whether the function reports which record failed. */
  readonly reportsItemFailures: boolean;
  /** `BisectBatchOnFunctionError`: whether a failed batch is split in two. */
  readonly bisects: boolean;
  /** Age above which records are discarded, seconds; undefined: no limit. */
  readonly maximumRecordAgeSeconds?: number | undefined;
  /** Number of retries after which records are discarded; undefined: never. */
  readonly maximumRetryAttempts?: number | undefined;
}
