import { createS3, putInto } from '../archive/s3.ts';
import { readArchiveSettings } from '../archive/settings.ts';
import type { CopyArchive } from './archive-first.ts';

/**
 * The archive that the environment names. There the state machine backs off, so a put has one attempt.
 * @throws InvalidEnvironmentError
 */
export function lambdaCopyArchive({ attempts }: { readonly attempts: number }): CopyArchive {
  const settings = readArchiveSettings(process.env);
  // Every put gets a limit of its own, which is never above this one.
  const s3 = createS3({ maxAttempts: attempts, requestTimeoutMs: 5_000 });
  return { settings, put: putInto(settings.archiveBucket, s3) };
}
