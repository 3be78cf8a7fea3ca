import { InvalidArgumentError } from './errors.ts';
import { isObject } from './fields.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import { changedAtMs, changeOf, type StreamRecord } from './stream-record.ts';
import { expiredRange, isWithin, toEpochSeconds } from './ttl.ts';

/**
 * Whether a record of a table's stream is an expiry: an item was removed whose TTL had expired by then.
 *
 * 1. The change is a REMOVE. What is written or changed is no expiry.
 * 2. The TTL in the old image had expired at the time of the record, by the rule of `isExpired`.
 * 3. Who removed it does not matter. So it holds for this sweep's deletions, for native TTL's, for both in replicas, where native
 *    TTL's mark is missing, and for an item that an application deletes after its expiry. Before its expiry that is no expiry.
 * 4. Native TTL's mark (`userIdentity`) is enough by itself: its records are recognized in streams without old images too.
 *
 * Records of DynamoDB Streams are timed to the second, rounded down. So a delete in the very second of the expiry is one.
 *
 * @param record as the stream, Lambda or (decoded) Kinesis gives it
 * @throws InvalidModelError for a model that `expiryModel()` did not make
 * @throws InvalidArgumentError for what is no stream record, and for a removal without its old image or its time
 */
export function isExpiry(model: ExpiryModel, record: StreamRecord): boolean {
  return isNearlyExpiry(model, record, 0);
}

/**
 * The same, also for an item that was removed so many seconds before its expiry.
 *
 * @throws what {@link isExpiry} throws
 */
export function isNearlyExpiry(model: ExpiryModel, record: StreamRecord, toleranceSeconds: number): boolean {
  checkModel(model);
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
  const ttl: unknown = Object.hasOwn(OldImage, model.ttlAttribute)
    ? (OldImage as Record<string, unknown>)[model.ttlAttribute]
    : undefined;
  const { after, upTo } = expiredRange(toEpochSeconds(changedAtMs(record)));
  return isWithin(ttl, { after, upTo: upTo + toleranceSeconds });
}

/** Lambda and Kinesis write the fields small, and so does the AWS SDK's type by their other case. Source: DynamoDB Developer Guide. */
function isByNativeTtl(identity: unknown): boolean {
  if (!isObject(identity)) return false;
  const { type, principalId, Type, PrincipalId } = identity as Record<string, unknown>;
  return (type ?? Type) === 'Service' && (principalId ?? PrincipalId) === 'dynamodb.amazonaws.com';
}
