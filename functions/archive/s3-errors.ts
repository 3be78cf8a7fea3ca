import { isBusy } from '../table/dynamodb-errors.ts';

/**
 * S3's errors after which the same put may succeed, besides those that every service has. Source: Amazon S3 API reference, "Error
 * responses".
 */
const BUSY: ReadonlySet<string> = new Set([
  'ConditionalRequestConflict',
  'OperationAborted',
  'RequestTimeout',
  'SlowDown',
]);

/**
 * Whether a put that failed may succeed later: S3 is busy or away, the answer was cut off, or did not come in time. The object may
 * be there nevertheless.
 */
export function isS3Busy(error: unknown): boolean {
  return isBusy(error) || (error instanceof Error && BUSY.has(error.name));
}
