import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { awsClient } from './client.ts';
import type { Environment } from './endpoint.ts';
import { noteEndpoint } from './note-endpoint.ts';

export interface EventBridgeSchedulerClient {
  readonly scheduler: SchedulerClient;
  /** Where its requests go, known once one was made: whatever the environment and the profiles say. */
  endpoint(): URL | undefined;
}

/**
 * The SDK's own client, with the SDK's own configuration.
 *
 * @throws {FlagError} when the environment names an endpoint that is none
 */
export function eventBridgeSchedulerClient(
  region: string,
  environment: Environment,
): EventBridgeSchedulerClient {
  const scheduler = awsClient(config => new SchedulerClient(config), 'SCHEDULER', region, environment, {
    quick: true,
  });
  return { scheduler, endpoint: noteEndpoint(scheduler) };
}
