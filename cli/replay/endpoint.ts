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

/**
 * The endpoint on this machine that the SDK will talk to; undefined when it will talk to another one.
 *
 * @throws {FlagError} when what the environment names is no URL
 */
export function localEndpoint(environment: Environment): ConfiguredEndpoint | undefined {
  if (environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return undefined;
  const name = environment['AWS_ENDPOINT_URL_SFN'] ? 'AWS_ENDPOINT_URL_SFN' : 'AWS_ENDPOINT_URL';
  const value = environment[name];
  if (!value) return undefined;
  if (!URL.canParse(value)) {
    throw new FlagError(
      `${name}: expected a URL such as http://127.0.0.1:8083, got "${value}"; unset it for AWS`,
    );
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
