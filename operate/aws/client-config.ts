import { type Environment, localEndpoint, type Service } from './endpoint.ts';

/** Credentials, or a function that finds them, as the SDK's clients take them. */
export type Credentials = AwsCredentials | (() => Promise<AwsCredentials>);

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

/** Dummy credentials: every emulator accepts them, and no AWS account does. */
const DUMMY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Attempts at a throttled call, which take about a minute: a replay of many pieces shares its quota with all other callers. */
const MAX_ATTEMPTS = 8;
/** Attempts on this machine: no service throttles here, and a port that is closed will not open a moment later. */
const MAX_LOCAL_ATTEMPTS = 2;

/**
 * The configuration of a service's client. For an endpoint on this machine only the environment is searched for credentials, so
 * that a local trial needs none.
 *
 * @param region @default the SDK finds it
 * @param given credentials for AWS. @default the SDK finds them
 * @throws {InputError} when the environment names an invalid endpoint
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
      // The SDK would read this variable from the process; this way it comes from the given environment, as does `local`.
      endpoint: local.value,
      credentials:
        given ??
        (fromEnvironment
          ? { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) }
          : DUMMY_CREDENTIALS),
    }),
  };
}
