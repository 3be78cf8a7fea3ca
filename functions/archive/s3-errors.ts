/** Errors of S3 with a 4xx status after which the same put may succeed. Source: Amazon S3 API reference, "Error responses". */
const PASSING: ReadonlySet<string> = new Set([
  'ConditionalRequestConflict',
  'OperationAborted',
  'RequestTimeout',
  'SlowDown',
]);
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 429]);

/**
 * Whether S3 has refused a put permanently: no access, no such bucket, or a bucket in another region, to which S3 redirects. After any
 * other error a retry may succeed: S3 is busy or unavailable, the connection broke, or no answer came in time. In these cases the object
 * may be stored nevertheless.
 */
export function isRefusedByS3(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode: status = 0 } = error.$metadata as { httpStatusCode?: number };
  return status >= 300 && status < 500 && !PASSING_STATUS.has(status) && !PASSING.has(error.name);
}
