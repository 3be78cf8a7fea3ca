import { InvalidArgumentError } from '../../expiry/errors.ts';
import { isNearlyExpiry } from '../../expiry/is-expiry.ts';
import { changedAtMs } from '../../expiry/stream-record.ts';
import { lineText } from '../archive/archive-line.ts';
import { expiredPartition, hashOfLine, removedPartition } from '../archive/archive-object.ts';
import type { ArchiveSettings } from '../archive/settings.ts';
import type { LedgerEntry } from '../journal/ledger.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { DynamoDbStreamRecord, ItemImage } from '../stream/event.ts';
import { ledgerEntry } from '../stream/ledger-entry.ts';
import { ttlTimeMs } from '../stream/ttl-time.ts';

/** A removed item on its way into the archive. */
export interface Removal {
  readonly record: DynamoDbStreamRecord;
  readonly partition: string;
  /** JSON, without the line's end. */
  readonly line: string;
  /** Its entry in the ledger; undefined for one that had not expired. */
  readonly entry: LedgerEntry | undefined;
}

export type RemovalSettings = Pick<SweepSettings, 'tableName' | 'model'> &
  Pick<ArchiveSettings, 'archiveFormat' | 'archiveRemovals'>;

/**
 * The sweep deletes by the clock of the server that answers it, and a record is timed by that of another one. What an archive has of an
 * item that a user deleted so shortly before its expiry harms nobody; an expiry that it has not is lost. Events have no tolerance:
 * consumers act on them.
 */
export const TOLERANCE_SECONDS = 2;

/**
 * The archived form of a record: an expired item, or any removed one where all removals are wanted.
 *
 * @returns undefined for a record that does not belong into the archive @throws InvalidArgumentError for a removal of which nobody can
 * tell: it has no old image, or no time
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
  // Native TTL's mark makes an expiry of an item whose TTL stands in another attribute, too.
  const partition = expired ? expiredPartition(expiredAtMs ?? deletedAtMs) : removedPartition(deletedAtMs);
  const entry = expired ? { ...ledgerEntry(record, model.ttlAttribute), line: hashOfLine(line) } : undefined;
  return { record, partition, line, entry };
}

/** Native TTL's mark is enough for `isExpiry`, but not for an archive. */
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
