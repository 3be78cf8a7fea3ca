import { InputError } from '../errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the environment, and the endpoint in it. */
export interface ConfiguredEndpoint {
  readonly name: string;
  readonly value: string;
}

/** The services that commands call, each with an example port for an endpoint on this machine. */
export const SERVICES = {
  SFN: { title: 'Step Functions', port: 8083 },
  DYNAMODB: { title: 'DynamoDB', port: 8000 },
  CLOUDWATCH: { title: 'CloudWatch', port: 8084 },
  SCHEDULER: { title: 'EventBridge Scheduler', port: 8085 },
  SQS: { title: 'SQS', port: 9324 },
  LAMBDA: { title: 'Lambda', port: 3001 },
  PIPES: { title: 'EventBridge Pipes', port: 8086 },
} as const;
/** The end of the name of its endpoint variable, such as `AWS_ENDPOINT_URL_SFN`. */
export type Service = keyof typeof SERVICES;

/**
 * Whether the SDK will call this machine, by the variables that the SDK reads too.
 *
 * @throws {InputError} when a variable is not a valid URL
 */
export function isLocal(environment: Environment, service: Service = 'SFN'): boolean {
  return localEndpoint(environment, service) !== undefined;
}

/**
 * The endpoint on this machine that the SDK will call; undefined if it will call another host.
 *
 * @param service whose endpoint is read
 * @throws {InputError} when a variable is not a valid URL
 */
export function localEndpoint(
  environment: Environment,
  service: Service = 'SFN',
): ConfiguredEndpoint | undefined {
  if (environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return undefined;
  const own = `AWS_ENDPOINT_URL_${service}`;
  const name = environment[own] ? own : 'AWS_ENDPOINT_URL';
  const value = environment[name];
  if (!value) return undefined;
  if (!URL.canParse(value)) {
    throw new InputError(
      name,
      `expected a URL such as http://127.0.0.1:${SERVICES[service].port}, got "${value}"; unset it for AWS`,
    );
  }
  return isThisMachine(new URL(value).hostname) ? { name, value } : undefined;
}

/**
 * Whether the host of a URL is this machine. URL has already converted every spelling of an IPv4 address to four decimals. The
 * emulator has a copy of this rule, because code that calls AWS loads nothing from the emulator.
 */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

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
