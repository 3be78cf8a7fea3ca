/** As the services that commands talk to name it. */
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

/** Whether a service refused a call because there were too many. It is an answer: the service is there. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && THROTTLED.has(error.name);
}
