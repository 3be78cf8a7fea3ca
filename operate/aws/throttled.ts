/** Codes for throttling, of all services that commands call. */
const THROTTLED: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
]);

/** Whether a service throttled a call. That is an answer: the service works. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && THROTTLED.has(error.name);
}
