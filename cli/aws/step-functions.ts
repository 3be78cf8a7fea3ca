import { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient, type ClientOptions } from './client.ts';
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
export function stepFunctionsClient(
  region: string,
  environment: Environment,
  options: ClientOptions = {},
): StepFunctionsClient {
  const sfn = awsClient(config => new SFNClient(config), 'SFN', region, environment, options);
  return { sfn, endpoint: noteEndpoint(sfn) };
}
