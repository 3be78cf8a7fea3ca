import { expiryModel } from '../../expiry/model.ts';
import { createS3, putInto } from '../../functions/archive/s3.ts';
import { type ArchiveRuntime, archiveExpiries } from '../../functions/archive-expiries/handler.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { type MadeRecord, streamRecord } from './stream-records.ts';

export const ARCHIVE_BUCKET = 'archive';

/** Settings of the archiving function, of a table whose partition key is `id`. */
export function archiveSettings(more: Partial<ArchiveRuntime['settings']> = {}): ArchiveRuntime['settings'] {
  return {
    tableName: 'SessionData',
    model: expiryModel({ partitionKey: 'id' }),
    logKeys: 'full',
    archiveBucket: ARCHIVE_BUCKET,
    archivePrefix: '',
    archiveFormat: 'dynamodb-json',
    archiveRemovals: 'expiries',
    ...more,
  };
}

/** An item that expired at this time, and was removed so many seconds later. */
export interface ArchivedItem {
  readonly item: ItemImage;
  /** ISO. */
  readonly expiredAt: string;
  readonly laterSeconds?: number;
}

/** Lets the archiving function put items into an S3 on this machine, as one batch of the stream. */
export async function archiveItems(
  endpoint: string,
  items: readonly ArchivedItem[],
  settings: ArchiveRuntime['settings'] = archiveSettings(),
): Promise<void> {
  const client = createS3(
    { maxAttempts: 1, requestTimeoutMs: 10_000 },
    { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } },
  );
  try {
    const Records = items.map(({ item, expiredAt, laterSeconds = 0 }, place) => {
      const ttl = Date.parse(expiredAt) / 1000;
      const made: MadeRecord = { place, item: { ...item, ttl: { N: String(ttl) } }, at: ttl + laterSeconds };
      return streamRecord(made, settings.model);
    });
    const put = putInto(settings.archiveBucket, client);
    const logger = { info: () => undefined, error: (...line: unknown[]) => console.error(...line) };
    const { batchItemFailures } = await archiveExpiries(
      { Records },
      { settings, put, logger, clock: Date.now },
    );
    if (batchItemFailures.length > 0) throw new Error('not archived');
  } finally {
    client.destroy();
  }
}
