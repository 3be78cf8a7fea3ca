import { PreciseTtlError } from '../../expiry/index.ts';
import { type ConfiguredEndpoint, SERVICES, type Service } from './endpoint.ts';
import { NoAnswerError, silenceOf } from './no-answer.ts';
import { isThrottled } from './throttled.ts';

/** No state machine has that name. */
export class StateMachineNotFoundError extends PreciseTtlError {
  override readonly name = 'StateMachineNotFoundError';
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
