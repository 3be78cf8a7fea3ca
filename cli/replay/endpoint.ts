import { isLoopback } from '../../local/loopback.ts';
import { FlagError } from '../flags.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether the SDK, which reads the same variables, will talk to this machine.
 *
 * @throws {FlagError} when what they name is no URL
 */
export function isLocal(environment: Environment): boolean {
  if (environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return false;
  const name = environment['AWS_ENDPOINT_URL_SFN'] ? 'AWS_ENDPOINT_URL_SFN' : 'AWS_ENDPOINT_URL';
  const value = environment[name];
  if (!value) return false;
  if (!URL.canParse(value)) {
    throw new FlagError(
      `${name}: expected a URL such as http://127.0.0.1:8083, got "${value}"; unset it for AWS`,
    );
  }
  return isLoopback(new URL(value).hostname);
}
