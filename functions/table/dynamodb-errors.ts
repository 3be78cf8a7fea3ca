/**
 * Errors of DynamoDB after which a retry may succeed. Source: DynamoDB Developer Guide, "Error handling", and the API reference of
 * BatchStatementError for the codes of single statements.
 */

const BUSY_EXCEPTIONS: ReadonlySet<string> = new Set([
  'InternalServerError',
  'InternalServerErrorException',
  'ProvisionedThroughputExceededException',
  // For tables that are replicated with strong consistency.
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'RequestLimitExceededException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
  // The SDK's own errors for a request that did not get through or timed out.
  'TimeoutError',
  'NetworkingError',
  'AbortError',
]);

const BUSY_SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
]);

/** Codes of a single statement in a batch after which the same statement may succeed. */
const BUSY_STATEMENT_CODES: ReadonlySet<string> = new Set([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);

/** Whether a failed call may succeed later: it was throttled, DynamoDB was unavailable for a short time, or the connection broke. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (BUSY_EXCEPTIONS.has(error.name)) return true;
  if ('code' in error && typeof error.code === 'string' && BUSY_SOCKET_CODES.has(error.code)) return true;
  const status =
    '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode : undefined;
  return status === 429 || (status !== undefined && status >= 500);
}

const THROTTLING: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestLimitExceededException',
  'ThrottlingError',
  'ThrottlingException',
]);

/** Whether a call, or a statement with this code, failed for lack of capacity. */
export function isThrottling(error: unknown): boolean {
  return THROTTLING.has(error instanceof Error ? error.name : String(error));
}

/** Whether a statement that failed with this code may succeed later. */
export function isBusyStatement(code: string | undefined): boolean {
  return code !== undefined && BUSY_STATEMENT_CODES.has(code);
}

/** Whether DynamoDB refused the whole call because a part of it is invalid. */
export function isInvalid(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationException';
}
