import { MissingPermissionError } from '../errors.ts';
import { type ConfiguredEndpoint, SERVICES, type Service } from './endpoint.ts';
import { NoAnswerError, silenceOf } from './no-answer.ts';

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

/** Names of the error for a missing permission, in DynamoDB and in CloudWatch's protocols. */
const DENIED = ['AccessDeniedException', 'AccessDenied', 'AccessDeniedFault'];

/**
 * Makes a call, and names the missing permission if it is denied.
 *
 * @param action name in IAM: `dynamodb:DescribeTable`
 * @param resource ARN of the resource, or `*`
 * @throws {MissingPermissionError}; every other error unchanged
 */
export async function permitted<Result>(
  action: string,
  resource: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && DENIED.includes(error.name)) {
      throw new MissingPermissionError(action, resource, error.message);
    }
    throw error;
  }
}

/**
 * Describes an error of the SDK on one line; undefined for a bug of ours.
 *
 * @param local the endpoint on this machine that was called, if it was one
 */
export function describeSdkError(
  error: unknown,
  local: ConfiguredEndpoint | undefined,
  service: Service = 'SFN',
): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { title } = SERVICES[service];
  if (error.name === 'CredentialsProviderError') {
    return (
      `AWS credentials: expected some for the account that is deployed to, got none (${error.message}); set ` +
      `AWS_PROFILE or log in, or AWS_ENDPOINT_URL_${service} for the local ${title}`
    );
  }
  // The error may also come from the body of an object that ends in the middle.
  const silence = silenceOf(error);
  if (silence !== undefined) return new NoAnswerError(service, silence, local).message;
  if (isThrottled(error)) {
    return `${title}: expected an answer, got ${error.name}: the account's rate of such calls is used up; run it again later`;
  }
  if ('$metadata' in error) return `${title}: ${error.name}: ${error.message}`;
  return undefined;
}
