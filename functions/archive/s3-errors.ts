/**
 * S3's answers of the status 4xx after which the same put may succeed. Source: Amazon S3 API reference, "Error responses".
 */
const PASSING: ReadonlySet<string> = new Set([
  'ConditionalRequestConflict',
  'OperationAborted',
  'RequestTimeout',
  'SlowDown',
]);
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 429]);

/**
 * Whether S3 has refused a put for good: no access, no such bucket, or one in another region, to which it redirects. After anything else it may succeed later: S3 is busy or away, the
 * connection broke, or no answer came in time. The object may be there nevertheless.
 */
export function isRefusedByS3(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode: status = 0 } = error.$metadata as { httpStatusCode?: number };
  return status >= 300 && status < 500 && !PASSING_STATUS.has(status) && !PASSING.has(error.name);
}
