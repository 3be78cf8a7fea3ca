import { SFNClient } from '@aws-sdk/client-sfn';
import { clientConfig } from './client-config.ts';
import type { Environment } from './endpoint.ts';
import { noteEndpoint } from './note-endpoint.ts';

export interface StepFunctionsClient {
  readonly sfn: SFNClient;
  /** Where its requests go, known once one was made: whatever the environment and the profiles say. */
  endpoint(): URL | undefined;
}

/**
 * The SDK's own client, with the SDK's own configuration.
 *
 * @throws {FlagError} when the environment names an endpoint that is none
 */
export function stepFunctionsClient(region: string, environment: Environment): StepFunctionsClient {
  const sfn = new SFNClient(clientConfig('SFN', region, environment));
  return { sfn, endpoint: noteEndpoint(sfn) };
}
