import { type Environment, localEndpoint, type Service } from './endpoint.ts';

/** Credentials, or what finds them, as the clients of the SDK take them. */
export type Credentials = AwsCredentials | (() => Promise<AwsCredentials>);

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Accepted by every emulator and by no AWS account. */
const DUMMY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Throttled calls are tried for about a minute: a replay of many pieces shares its quota with everybody else. */
const MAX_ATTEMPTS = 8;
/** Nobody throttles on this machine, and a port where nobody listens is none a moment later. */
const MAX_LOCAL_ATTEMPTS = 2;

/**
 * The configuration of a service's client. For an endpoint on this machine, only the environment is searched for credentials, so that a
 * local trial needs none.
 *
 * @param region the SDK finds it where it is not given
 * @param given credentials for AWS. @default the SDK finds them
 * @throws {InputError} when the environment names an endpoint that is none
 */
export function clientConfig(
  service: Service,
  region: string | undefined,
  environment: Environment,
  given?: Credentials,
) {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  const fromEnvironment = id && secret;
  const local = localEndpoint(environment, service);
  return {
    ...(region !== undefined && { region }),
    ...(given !== undefined && { credentials: given }),
    maxAttempts: local ? MAX_LOCAL_ATTEMPTS : MAX_ATTEMPTS,
    ...(local && {
      // The SDK would read the same variable, but of the process: what is local here shall be local there.
      endpoint: local.value,
      credentials:
        given ??
        (fromEnvironment
          ? { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) }
          : DUMMY_CREDENTIALS),
    }),
  };
}
