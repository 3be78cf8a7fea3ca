import { SFNClient } from '@aws-sdk/client-sfn';
import { type Environment, isLocal } from './endpoint.ts';

/** Accepted by every emulator and by no AWS account. */
const DUMMY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Throttled calls are tried for about a minute: a replay of many pieces shares its quota with everybody else. */
const MAX_ATTEMPTS = 8;
/** Nobody throttles on this machine, and a port where nobody listens is none a moment later. */
export const MAX_LOCAL_ATTEMPTS = 2;

export interface ReplayClient {
  readonly sfn: SFNClient;
  /** Where its requests go, known once one was made: whatever the environment and the profiles say. */
  endpoint(): URL | undefined;
}

/**
 * The SDK's own client, with the SDK's own configuration. For an endpoint on this machine, no credentials but those of
 * the environment are looked for: whoever tries the local one out need not have any.
 *
 * @throws {FlagError} when the environment names an endpoint that is none
 */
export function replayClient(region: string, environment: Environment): ReplayClient {
  let endpoint: URL | undefined;
  const local = isLocal(environment);
  const sfn = new SFNClient({
    region,
    maxAttempts: local ? MAX_LOCAL_ATTEMPTS : MAX_ATTEMPTS,
    ...(local && { credentials: localCredentials(environment) }),
  });
  sfn.middlewareStack.add(
    next => args => {
      const { protocol, hostname, port } = args.request as {
        protocol: string;
        hostname: string;
        port?: number;
      };
      endpoint = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`);
      return next(args);
    },
    { step: 'build', name: 'noteEndpoint' },
  );
  return { sfn, endpoint: () => endpoint };
}

/** For an endpoint on this machine: those of the environment, or some that no account takes. */
export function localCredentials(environment: Environment) {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  if (!id || !secret) return DUMMY_CREDENTIALS;
  return { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
}
