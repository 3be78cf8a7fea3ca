import { InputError } from '../input-error.ts';
import { type Environment, isLocal, SERVICES, type Service } from './endpoint.ts';

/**
 * A command that asks several services asks them in one place: with one of them on this machine and another in an account,
 * what was meant to be tried out would change what is deployed.
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
