import { isObject } from '../api-input.ts';

/** Whether a record is handed over. */
type RecordFilter = (record: unknown) => boolean;

/** Error of a part of a pattern that is not supported here; the caller adds its position. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

/**
 * A filter of an event source mapping: `{"eventName": ["REMOVE"]}`. Only lists of allowed values, and nested fields, are supported. The
 * operators (`prefix`, `exists`, `anything-but`…) are refused.
 * @throws {FilterError}
 * @see Lambda Developer Guide, "Control which events Lambda sends to your function"
 */
export function readFilter(pattern: string): RecordFilter {
  let parsed: unknown;
  try {
    parsed = JSON.parse(pattern);
  } catch {
    throw new FilterError(`expected JSON, got ${JSON.stringify(pattern)}`);
  }
  return readFields(parsed, '');
}

function readFields(pattern: unknown, at: string): RecordFilter {
  if (!isObject(pattern) || Object.keys(pattern).length === 0) {
    throw new FilterError(
      `${at || 'the pattern'}: expected an object with fields, got ${JSON.stringify(pattern)}`,
    );
  }
  const fields = Object.entries(pattern).map(([name, wanted]) => {
    const where = at === '' ? name : `${at}.${name}`;
    // An operator on several fields.
    if (name.startsWith('$')) throw notUnderstood(where, wanted);
    const matches = Array.isArray(wanted) ? readValues(wanted, where) : readFields(wanted, where);
    return [name, matches] as const;
  });
  return event => isObject(event) && fields.every(([name, matches]) => matches(event[name]));
}

function readValues(wanted: readonly unknown[], where: string): RecordFilter {
  if (wanted.length === 0) throw new FilterError(`${where}: expected at least one value, got []`);
  for (const value of wanted) {
    if (typeof value === 'object' && value !== null) throw notUnderstood(where, value);
  }
  return value => wanted.includes(value);
}

function notUnderstood(where: string, got: unknown): FilterError {
  return new FilterError(
    `${where}: expected values, such as ["REMOVE"], got ${JSON.stringify(got)}; the local cloud does not understand operators, and does ` +
      'not run a filter that it does not understand',
  );
}

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
