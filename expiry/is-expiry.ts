import { InvalidArgumentError } from './errors.ts';
import { isObject } from './fields.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { changedAtMs, changeOf, type StreamRecord } from './stream-record.ts';
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
