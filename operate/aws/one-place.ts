import { InputError } from '../input-error.ts';
import { type Environment, isLocal, SERVICES, type Service } from './endpoint.ts';

/**
 * Requires that all services of a command are in one place: with one on this machine and another in an account, a local trial
 * would change a real deployment.
 *
 * @throws {InputError}
 */
export function requireOnePlace(environment: Environment, services: readonly Service[]): void {
  const local = services.filter(service => isLocal(environment, service));
  const [here] = local;
  const elsewhere = services.find(service => !local.includes(service));
  if (here === undefined || elsewhere === undefined) return;
  throw new InputError(
    `AWS_ENDPOINT_URL_${elsewhere}`,
    `expected an endpoint on this machine for ${SERVICES[elsewhere].title}, as ` +
      `AWS_ENDPOINT_URL_${here} names one, got none; set it as the local deployment prints it, or unset both for AWS`,
  );
}
