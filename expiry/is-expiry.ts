import { END_MS, FIRST_MS } from './clock.ts';
import { InvalidArgumentError } from './errors.ts';
import { isObject } from './fields.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { isExpired, toEpochSeconds } from './ttl.ts';

/**
 * Whether a stream record is an expiry: a removal by native TTL, or the removal of an item whose TTL had expired at the time of the record.
 * Native TTL, the sweep or an application may have removed the item.
 * @param record from DynamoDB Streams, Lambda or (decoded) Kinesis
 * @throws InvalidModelError; InvalidArgumentError for what is no stream record, and if a removal not by native TTL has no old image or time
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

/** A `userIdentity` has `type` in records of Lambda and Kinesis, and `Type` in records of the AWS SDK. Source: DynamoDB Developer Guide. */
function isByNativeTtl(identity: unknown): boolean {
  if (!isObject(identity)) return false;
  const { type, principalId, Type, PrincipalId } = identity as Record<string, unknown>;
  return (type ?? Type) === 'Service' && (principalId ?? PrincipalId) === 'dynamodb.amazonaws.com';
}

/**
 * A record of DynamoDB Streams, from the AWS SDK or in Lambda. Of a record of Kinesis, pass the data, parsed as JSON. The type has only the
 * fields that this module reads.
 */
export interface StreamRecord {
  readonly eventName?: string | undefined;
  readonly dynamodb?: StreamChange | undefined;
  /** Names native TTL if it removed the item. Missing or null in other records, also if the removal was replicated from another region. */
  readonly userIdentity?: unknown;
}

export interface StreamChange {
  /** The item before the change, in DynamoDB JSON. Only in streams with old images. */
  readonly OldImage?: object | undefined;
  /**
   * A Date (AWS SDK), epoch seconds (Lambda), or epoch milliseconds or microseconds (Kinesis). DynamoDB Streams rounds down to the second.
   */
  readonly ApproximateCreationDateTime?: Date | number | undefined;
  readonly ApproximateCreationDateTimePrecision?: string | undefined;
}

/** Units of time per second, by `ApproximateCreationDateTimePrecision`. Source: DynamoDB API reference, KinesisDataStreamDestination. */
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
