import { PreciseTtlError } from '../../expiry/index.ts';
import { invocation } from '../invocation.ts';
import { type ConfiguredEndpoint, SERVICES, type Service } from './endpoint.ts';

/** No state machine of that name is there. */
export class StateMachineNotFoundError extends PreciseTtlError {
  override readonly name = 'StateMachineNotFoundError';
}

/**
 * An error of the SDK as a line for a person; undefined for a bug of ours.
 *
 * @param local the endpoint on this machine that was asked, if it was one
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
  // The request didn't get through: ECONNREFUSED and its like, with an AggregateError for several addresses.
  const code = 'code' in error && /^E[A-Z]+$/.test(String(error.code)) ? String(error.code) : undefined;
  if (code !== undefined && local !== undefined) {
    return (
      `${local.name}: expected ${title} at ${local.value}, got ${code}; start ${invocation('local')} in another ` +
      `terminal, or unset ${local.name} for AWS`
    );
  }
  if (code !== undefined) {
    return `${title}: expected an answer, got ${code} ${error.message}; check that the endpoint is right and reachable`;
  }
  if ('$metadata' in error) return `${title}: ${error.name}: ${error.message}`;
  return undefined;
}
