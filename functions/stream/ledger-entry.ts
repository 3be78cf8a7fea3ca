import { changedAtMs } from '../../expiry/stream-record.ts';
import type { LedgerEntry } from '../journal/ledger.ts';
import type { DynamoDbStreamRecord } from './event.ts';
import { ttlTimeMs } from './ttl-time.ts';

/** The entry in a reader's book for a record's expiry. @throws InvalidArgumentError for a record without a time */
export function ledgerEntry(record: DynamoDbStreamRecord, ttlAttribute: string): LedgerEntry {
  const { Keys, OldImage } = record.dynamodb;
  const ttlMs = OldImage && ttlTimeMs(OldImage, ttlAttribute);
  return {
    key: Keys,
    ttl: ttlMs === undefined ? null : ttlMs / 1000,
    at: Math.floor(changedAtMs(record) / 1000),
  };
}
