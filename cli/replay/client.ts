import { SFNClient } from '@aws-sdk/client-sfn';
import { clientConfig } from './client-config.ts';
import type { Environment } from './endpoint.ts';

export interface ReplayClient {
  readonly sfn: SFNClient;
  /** Where its requests go, known once one was made: whatever the environment and the profiles say. */
  endpoint(): URL | undefined;
}

/**
 * The SDK's own client, with the SDK's own configuration.
 *
 * @throws {FlagError} when the environment names an endpoint that is none
 */
export function replayClient(region: string, environment: Environment): ReplayClient {
  let endpoint: URL | undefined;
  const sfn = new SFNClient(clientConfig('SFN', region, environment));
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
