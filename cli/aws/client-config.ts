import { type Environment, localEndpoint, type Service } from './endpoint.ts';

/** Accepted by every emulator and by no AWS account. */
const DUMMY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Throttled calls are tried for about a minute: a replay of many pieces shares its quota with everybody else. */
const MAX_ATTEMPTS = 8;
/** Nobody throttles on this machine, and a port where nobody listens is none a moment later. */
const MAX_LOCAL_ATTEMPTS = 2;

/**
 * What the client of a service is made with. For an endpoint on this machine, no credentials but those of the environment are
 * looked for: whoever tries the local one out need not have any.
 *
 * @param region the SDK finds it where it is not given
 * @throws {FlagError} when the environment names an endpoint that is none
 */
export function clientConfig(service: Service, region: string | undefined, environment: Environment) {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  const fromEnvironment = id && secret;
  const local = localEndpoint(environment, service);
  return {
    ...(region !== undefined && { region }),
    maxAttempts: local ? MAX_LOCAL_ATTEMPTS : MAX_ATTEMPTS,
    ...(local && {
      // The SDK would read the same variable, but of the process: what is local here shall be local there.
      endpoint: local.value,
      credentials: fromEnvironment
        ? { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) }
        : DUMMY_CREDENTIALS,
    }),
  };
}
