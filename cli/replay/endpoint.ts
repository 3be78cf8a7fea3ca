import { FlagError } from '../flags.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the environment, and the endpoint that it names. */
export interface ConfiguredEndpoint {
  readonly name: string;
  readonly value: string;
}

/**
 * Whether the SDK, which reads the same variables, will talk to this machine.
 *
 * @throws {FlagError} when what they name is no URL
 */
export function isLocal(environment: Environment): boolean {
  return localEndpoint(environment) !== undefined;
}

/** The variable of a service's endpoint, and an endpoint that is one. */
const SERVICES = {
  sfn: ['AWS_ENDPOINT_URL_SFN', 'http://127.0.0.1:8083'],
  dynamoDb: ['AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:8000'],
} as const;

/**
 * The endpoint on this machine that the SDK will talk to; undefined when it will talk to another one.
 *
 * @param service of which the endpoint is
 * @throws {FlagError} when what the environment names is no URL
 */
export function localEndpoint(
  environment: Environment,
  service: keyof typeof SERVICES = 'sfn',
): ConfiguredEndpoint | undefined {
  if (environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return undefined;
  const [variable, example] = SERVICES[service];
  const name = environment[variable] ? variable : 'AWS_ENDPOINT_URL';
  const value = environment[name];
  if (!value) return undefined;
  if (!URL.canParse(value)) {
    throw new FlagError(`${name}: expected a URL such as ${example}, got "${value}"; unset it for AWS`);
  }
  return isThisMachine(new URL(value).hostname) ? { name, value } : undefined;
}

/**
 * Whether the host of a URL is this machine. URL has brought every spelling of an IPv4 address to four decimals. The
 * emulator has the same rule; this command, which talks to AWS, loads nothing of it.
 */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
