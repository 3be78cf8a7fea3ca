import type { RecordFilter } from './filter.ts';

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

/** How records are handed to a function: what an event source mapping says of it. */
export interface MappingSettings {
  /** Most records of an invocation. */
  readonly batchSize: number;
  /** How long a record waits for others at the most, seconds. */
  readonly batchingWindowSeconds: number;
  /** A record is handed over when one of them holds; with none, every record is. */
  readonly filters: readonly RecordFilter[];
  /** `ReportBatchItemFailures`: whether the function says which record failed. */
  readonly reportsItemFailures: boolean;
  /** `BisectBatchOnFunctionError`: whether a batch that failed is cut in two. */
  readonly bisects: boolean;
  /** Older records are given up, seconds; undefined: none is. */
  readonly maximumRecordAgeSeconds?: number | undefined;
  /** After so many retries records are given up; undefined: never. */
  readonly maximumRetryAttempts?: number | undefined;
}
