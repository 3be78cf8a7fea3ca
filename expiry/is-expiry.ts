import { END_MS, FIRST_MS } from './clock.ts';
import { InvalidArgumentError } from './errors.ts';
import { isObject } from './fields.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { isExpired, toEpochSeconds } from './ttl.ts';

/**
 * Whether a record of a table's stream is an expiry: the removal of an item whose TTL had expired at the time of the record.
 *
 * 1. The change is a REMOVE. Writes and updates are no expiries.
 * 2. The TTL in the old image had expired at the time of the record, by the rule of `isExpired`.
 * 3. Anybody may have removed the item. Deletions by this sweep and by native TTL are expiries, also in replicas, where native TTL's mark
 * is missing. A deletion by an application is an expiry only after the item's expiry.
 * 4. Native TTL's mark (`userIdentity`) is sufficient: a record with the mark is an expiry even in streams without old images.
 *
 * Times of DynamoDB Streams are rounded down to the second. A delete in the very second of the expiry counts as an expiry.
 *
 * @param record record from the stream, Lambda or (decoded) Kinesis
 * @throws InvalidModelError for a model that `expiryModel()` did not make
 * @throws InvalidArgumentError for anything but a stream record, and for a removal without its old image or its time
 */
export function isExpiry(model: ExpiryModel, record: StreamRecord): boolean {
  checkModel(model);
  return isExpiryBy(model.ttlAttribute, record);
}

export function isExpiryBy(ttlAttribute: string, record: StreamRecord): boolean {
  const change = changeOf(record);
  if (record.eventName !== 'REMOVE') return false;
  if (isByNativeTtl(record.userIdentity)) return true;
  const { OldImage } = change;
  if (!isObject(OldImage)) {
    throw new InvalidArgumentError({
      field: 'record.dynamodb.OldImage',
      expected: 'the item as it was before it was removed',
      got: OldImage,
      remedy:
        'Give the table a stream with the view type OLD_IMAGE or NEW_AND_OLD_IMAGES: without the item nobody can tell whether it had expired.',
    });
  }
  const ttl: unknown = Object.hasOwn(OldImage, ttlAttribute)
    ? (OldImage as Record<string, unknown>)[ttlAttribute]
    : undefined;
  return isExpired(ttl, toEpochSeconds(changedAtMs(record)));
}

/**
 * Lambda and Kinesis write the fields of native TTL's mark in lower case; the AWS SDK's type has the fields in upper case. Source: DynamoDB
 * Developer Guide.
 */
function isByNativeTtl(identity: unknown): boolean {
  if (!isObject(identity)) return false;
  const { type, principalId, Type, PrincipalId } = identity as Record<string, unknown>;
  return (type ?? Type) === 'Service' && (principalId ?? PrincipalId) === 'dynamodb.amazonaws.com';
}

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
