import { END_MS, FIRST_MS } from './clock.ts';
import { InvalidArgumentError } from './errors.ts';
import { isObject } from './fields.ts';

/**
 * A change of an item, as a record of DynamoDB Streams, a Lambda event source mapping or Kinesis Data Streams for DynamoDB. The type has
 * only the fields that are read here; records of the AWS SDK and of `@types/aws-lambda` have this type. For Kinesis, the record's data
 * parsed as JSON has this type.
 */
export interface StreamRecord {
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  readonly eventName?: string | undefined;
  readonly dynamodb?: StreamChange | undefined;
  /** Set only in deletions by native TTL, and not in replicas. */
  readonly userIdentity?: unknown;
}

export interface StreamChange {
  /** The item before the change, in DynamoDB JSON. Only in streams with old images. */
  readonly OldImage?: object | undefined;
  /**
   * When the change was made: a Date (AWS SDK), epoch seconds (Lambda), or epoch milliseconds or microseconds (Kinesis). DynamoDB Streams
   * rounds the time down to the second.
   */
  readonly ApproximateCreationDateTime?: Date | number | undefined;
  readonly ApproximateCreationDateTimePrecision?: string | undefined;
}

/** Units per second. Source: DynamoDB API reference, KinesisDataStreamDestination. */
const UNITS_PER_SECOND: Readonly<Record<string, number>> = {
  SECOND: 1,
  MILLISECOND: 1e3,
  MICROSECOND: 1e6,
};

export function changedAtMs(record: StreamRecord): number {
  const { ApproximateCreationDateTime: at, ApproximateCreationDateTimePrecision: precision } =
    changeOf(record);
  const ms = at instanceof Date ? at.getTime() : milliseconds(at, precision);
  if (ms >= FIRST_MS && ms < END_MS) return ms;
  throw new InvalidArgumentError({
    field: 'record.dynamodb.ApproximateCreationDateTime',
    expected: 'the time of the change, a Date or an epoch number, as DynamoDB writes it',
    got: at,
    remedy: 'Pass the record as it came from the stream.',
  });
}

function milliseconds(at: unknown, precision: string | undefined): number {
  if (typeof at !== 'number' || !(at > 0) || at >= END_MS * 1000) return Number.NaN;
  const perSecond = UNITS_PER_SECOND[precision ?? ''] ?? (at < FIRST_MS ? 1 : at < END_MS ? 1e3 : 1e6);
  return Math.floor((at * 1000) / perSecond);
}

export function changeOf(record: StreamRecord): StreamChange {
  const given: unknown = record;
  if (isObject(given) && isObject(given['dynamodb'])) return given['dynamodb'];
  const isKinesis = isObject(given) && 'kinesis' in given;
  throw new InvalidArgumentError({
    field: 'record',
    expected: 'a stream record of DynamoDB: { eventName, dynamodb: { … } }',
    got: isKinesis ? 'a record of Kinesis that is not decoded' : record,
    remedy: isKinesis
      ? "Pass JSON.parse(Buffer.from(record.kinesis.data, 'base64').toString())."
      : 'Pass one element of Records.',
  });
}
