import { SFNClient } from '@aws-sdk/client-sfn';
import { clientConfig } from './client-config.ts';
import type { Environment } from './endpoint.ts';
import { EndpointNote, NOTE_STEP } from './note-endpoint.ts';

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
  const note = new EndpointNote();
  const sfn = new SFNClient(clientConfig('SFN', region, environment));
  sfn.middlewareStack.add(note.middleware, NOTE_STEP);
  return { sfn, endpoint: () => note.endpoint };
}
