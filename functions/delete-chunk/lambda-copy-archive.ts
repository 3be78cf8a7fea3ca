import type { S3Client } from '@aws-sdk/client-s3';
import { createS3, putInto } from '../archive/s3.ts';
import type { ArchiveSettings } from '../archive/settings.ts';
import type { CopyArchive } from './archive-first.ts';

let s3: S3Client | undefined;

/** Makes the archive for these settings. The state machine does the backoff, so a put has one attempt. */
export function lambdaCopyArchive(
  settings: ArchiveSettings,
  { attempts }: { readonly attempts: number },
): CopyArchive {
  // Every put has its own timeout, which is never above this one.
  s3 ??= createS3({ maxAttempts: attempts, requestTimeoutMs: 5_000 });
  return { settings, put: putInto(settings.archiveBucket, s3) };
}
