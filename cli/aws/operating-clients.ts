import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { type Environment, isThisMachine } from './endpoint.ts';
import { eventBridgeSchedulerClient } from './scheduler.ts';
import { stepFunctionsClient } from './step-functions.ts';

/**
 * What a running deployment is changed with: both are needed, and where the change would be made is said before. What only looks
 * takes the clients of cli/deployment/clients.ts, as many as there are.
 */
export interface OperatingClients {
  readonly scheduler: SchedulerClient;
  readonly sfn: SFNClient;
  /** Where requests go; known once one was made. */
  where(): string;
  /** Whether that is this machine. */
  isLocal(): boolean;
  destroy(): void;
}

/** @throws {FlagError} when the environment names an endpoint that is none */
export function operatingClients(region: string, environment: Environment): OperatingClients {
  const { scheduler, endpoint } = eventBridgeSchedulerClient(region, environment);
  const { sfn } = stepFunctionsClient(region, environment, { quick: true });
  return {
    scheduler,
    sfn,
    where: () => endpoint()?.origin ?? region,
    isLocal: () => isThisMachine(endpoint()?.hostname ?? ''),
    destroy() {
      scheduler.destroy();
      sfn.destroy();
    },
  };
}
