import { Logger } from '@aws-lambda-powertools/logger';
import { tableFolder } from '../archive/archive-object.ts';
import { createS3, type PutObject, putInto } from '../archive/s3.ts';
import { type ArchiveSettings, readArchiveSettings } from '../archive/settings.ts';
import { keyShower } from '../report/shown-keys.ts';
import { readEnvironment, type SweepSettings } from '../runtime/environment.ts';
import { type BatchAnswer, batchAnswer } from '../stream/batch-failures.ts';
import { type DynamoDbStreamEvent, type DynamoDbStreamRecord, recordsOf } from '../stream/event.ts';
import { recordDelay } from '../stream/reader-delay.ts';
import { batchObjects } from './batch-objects.ts';
import { PUT_ATTEMPTS, PUT_TIMEOUT_MS, PUTTING_SECONDS } from './limits.ts';
import { putObjects } from './put-objects.ts';
import { type Removal, removalOf } from './removal.ts';

export interface ArchiveRuntime {
  readonly settings: Pick<SweepSettings, 'tableName' | 'model' | 'logKeys'> & ArchiveSettings;
  readonly put: PutObject;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Archives the expired items of a batch of the stream: one object for each date of expiry.
 *
 * 1. Every record is judged before anything is put. The first record that cannot be judged ends the batch: it is delivered again, and
 *    shortly before the stream drops it, it goes to the failure queue. No record is skipped.
 * 2. A second call with the same records is harmless: it puts the same objects.
 *
 * @returns the first record that is not archived, which Lambda delivers again with all that follow it
 */
export async function archiveExpiries(
  event: DynamoDbStreamEvent,
  { settings, put, logger, clock }: ArchiveRuntime,
): Promise<BatchAnswer> {
  const records = recordsOf(event);
  const endMs = clock() + PUTTING_SECONDS * 1000;
  const { removals, unjudged } = judge(records, { settings, logger });
  const objects = batchObjects(removals, tableFolder(settings, settings.tableName));
  const left = await putObjects(objects, {
    put,
    onFailed: (key, error) => logger.error('cannot archive', { key, error: nameAndMessage(error) }),
    hasTime: () => clock() < endMs,
  });
  const itemsLeft = left.reduce((sum, { removals: those }) => sum + those.length, 0);
  logger.info('archived', {
    records: records.length,
    items: removals.length - itemsLeft,
    itemsLeft,
    objects: objects.length - left.length,
  });
  return batchAnswer(left[0]?.first ?? unjudged);
}

/** Returns the removals to archive, up to the first record that cannot be judged. */
function judge(
  records: readonly DynamoDbStreamRecord[],
  { settings, logger }: Pick<ArchiveRuntime, 'settings' | 'logger'>,
): { removals: Removal[]; unjudged?: DynamoDbStreamRecord } {
  const showKey = keyShower(settings);
  const removals: Removal[] = [];
  for (const record of records) {
    try {
      const removal = removalOf(record, settings);
      if (removal) removals.push(removal);
    } catch (error) {
      const { Keys, SequenceNumber } = record.dynamodb;
      const key = showKey(Keys);
      logger.error('cannot judge', {
        ...(key !== undefined && { key }),
        sequenceNumber: SequenceNumber,
        error: nameAndMessage(error),
      });
      return { removals, unjudged: record };
    }
  }
  return { removals };
}

function nameAndMessage(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

let runtime: ArchiveRuntime | undefined;

/** Makes the runtime at the first call and reuses it while the execution environment lives. */
function lambdaRuntime(): ArchiveRuntime {
  if (runtime !== undefined) return runtime;
  const archive = readArchiveSettings(process.env);
  const s3 = createS3({ maxAttempts: PUT_ATTEMPTS, requestTimeoutMs: PUT_TIMEOUT_MS });
  runtime = {
    settings: { ...readEnvironment(process.env), ...archive },
    put: putInto(archive.archiveBucket, s3),
    logger: new Logger(),
    clock: Date.now,
  };
  return runtime;
}

export const handler = async (event: DynamoDbStreamEvent): Promise<BatchAnswer> => {
  recordDelay(event);
  return archiveExpiries(event, lambdaRuntime());
};
