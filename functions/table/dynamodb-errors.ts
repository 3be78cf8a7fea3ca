/**
 * Errors of requests to DynamoDB, after which a retry may succeed. Source: DynamoDB Developer Guide, "Error handling"; API reference of
 * BatchStatementError.
 */

const THROTTLING = [
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestLimitExceededException',
  'ThrottlingError',
  'ThrottlingException',
];

const BUSY: ReadonlySet<string> = new Set([
  ...THROTTLING,
  'InternalServerError',
  'InternalServerErrorException',
  // Only a global table with strong consistency returns this error.
  'ReplicatedWriteConflictException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  // The SDK itself makes these errors when a request times out, is aborted or gets no connection.
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

export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (BUSY.has(error.name)) return true;
  if ('code' in error && typeof error.code === 'string' && BUSY_SOCKET_CODES.has(error.code)) return true;
  const status =
    '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode : undefined;
  return status === 429 || (status !== undefined && status >= 500);
}

export function isThrottling(error: unknown): boolean {
  return THROTTLING.includes(error instanceof Error ? error.name : String(error));
}

export function isBusyStatement(code: string | undefined): boolean {
  return code !== undefined && BUSY.has(code);
}

export function isInvalid(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationException';
}
