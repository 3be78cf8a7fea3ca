import { Logger } from '@aws-lambda-powertools/logger';
import { createS3 } from '../archive/s3.ts';
import { readArchiveSettings } from '../archive/settings.ts';
import { rowsOfTable } from '../proof/build-day.ts';
import { s3ProofStore } from '../proof/s3-store.ts';
import { type WriteOptions, writeManifests } from '../proof/write-manifests.ts';
import { readDeployment } from '../runtime/deployment.ts';
import { readEnvironment } from '../runtime/environment.ts';
import { createDocuments } from '../table/dynamodb.ts';

/** Attempts per call: nothing waits for this function, so DynamoDB and S3 may be called more often than in a sweep. */
const ATTEMPTS = 8;
const S3_TIMEOUT_MS = 30_000;

export interface ManifestRuntime
  extends Pick<WriteOptions, 'table' | 'store' | 'read' | 'archive' | 'hashKeys'> {
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Writes the missing manifests of a table's deletions, up to yesterday's. A written manifest is final: a failed call is repeated, and
 * continues after the last one.
 *
 * @throws the error that prevented a manifest: JournalUnreadableError, ProofRefusedError, or S3's error
 */
export async function writeManifest({ logger, clock, ...options }: ManifestRuntime): Promise<void> {
  try {
    await writeManifests({
      ...options,
      nowMs: clock(),
      onWritten: ({ date, deleted, kept }) => logger.info('manifest written', { date, deleted, kept }),
    });
  } catch (error) {
    const { name, message } = error as Error;
    logger.error('no manifest written', { error: `${name}: ${message}` });
    throw error;
  }
}

let runtime: ManifestRuntime | undefined;

/** Makes the runtime at the first call and reuses it while the execution environment lives. */
function lambdaRuntime(): ManifestRuntime {
  if (runtime !== undefined) return runtime;
  const { tableName, logKeys, archivedWithinSeconds } = readEnvironment(process.env);
  const { archiveBucket, archivePrefix } = readArchiveSettings(process.env);
  const { journalTable } = readDeployment(process.env);
  const s3 = createS3({ maxAttempts: ATTEMPTS, requestTimeoutMs: S3_TIMEOUT_MS });
  const documents = createDocuments({ maxAttempts: ATTEMPTS });
  runtime = {
    table: tableName,
    store: s3ProofStore(s3, archiveBucket, archivePrefix),
    read: rowsOfTable({ documents, tableName: journalTable }, tableName),
    archive: archivedWithinSeconds !== undefined,
    hashKeys: logKeys !== 'full',
    logger: new Logger(),
    clock: Date.now,
  };
  return runtime;
}

export const handler = (): Promise<void> => writeManifest(lambdaRuntime());
