import { InvalidArgumentError } from '../../expiry/errors.ts';
import { isNearlyExpiry } from '../../expiry/is-expiry.ts';
import { changedAtMs } from '../../expiry/stream-record.ts';
import { lineText } from '../archive/archive-line.ts';
import { expiredPartition, removedPartition } from '../archive/archive-object.ts';
import type { ArchiveSettings } from '../archive/settings.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { DynamoDbStreamRecord, ItemImage } from '../stream/event.ts';
import { ttlTimeMs } from '../stream/ttl-time.ts';

/** A removed item that is to be archived. */
export interface Removal {
  readonly record: DynamoDbStreamRecord;
  readonly partition: string;
  /** JSON, without the line's end. */
  readonly line: string;
}

export type RemovalSettings = Pick<SweepSettings, 'tableName' | 'model'> &
  Pick<ArchiveSettings, 'archiveFormat' | 'archiveRemovals'>;

/**
 * How long before its expiry a removal still counts as an expiry. The delete is judged by one server's clock, the record is timed by
 * another. A few items too many in the archive, deleted by a user just before they expired, do no harm; a missing expiry is data loss.
 * Events have no tolerance: consumers act on them.
 */
export const TOLERANCE_SECONDS = 2;

/**
 * Returns the archive's form of a record: an expired item, or any removed item if all removals are archived.
 *
 * @returns undefined for a record that does not belong into the archive
 * @throws InvalidArgumentError for a removal that cannot be judged: it has no old image, or no time
 */
export function removalOf(
  record: DynamoDbStreamRecord,
  { tableName, model, archiveFormat, archiveRemovals }: RemovalSettings,
): Removal | undefined {
  const expired = isNearlyExpiry(model, record, TOLERANCE_SECONDS);
  if (!expired && (archiveRemovals === 'expiries' || record.eventName !== 'REMOVE')) return undefined;
  const item = oldImage(record);
  const deletedAtMs = changedAtMs(record);
  const expiredAtMs = ttlTimeMs(item, model.ttlAttribute);
  const line = lineText(
    {
      table: tableName,
      key: record.dynamodb.Keys,
      expiredAt: expiredAtMs === undefined ? null : iso(expiredAtMs),
      deletedAt: iso(deletedAtMs),
      id: record.eventID,
      sequenceNumber: record.dynamodb.SequenceNumber,
      removal: expired ? 'expiry' : 'other',
      item,
    },
    archiveFormat,
  );
  // A record with native TTL's mark is an expiry even if the item's TTL stands in another attribute.
  const partition = expired ? expiredPartition(expiredAtMs ?? deletedAtMs) : removedPartition(deletedAtMs);
  return { record, partition, line };
}

/** Returns the old image. `isExpiry` can do without it if the record has native TTL's mark; an archive cannot. */
function oldImage({ dynamodb: { OldImage } }: DynamoDbStreamRecord): ItemImage {
  if (OldImage !== undefined) return OldImage;
  throw new InvalidArgumentError({
    field: 'record.dynamodb.OldImage',
    expected: 'the item as it was before it was removed',
    got: OldImage,
    remedy: 'Give the table a stream with the view type OLD_IMAGE or NEW_AND_OLD_IMAGES.',
  });
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
