import { type Clients, clientsOf } from './aws/clients.ts';
import type { TimeLimit } from './aws/time-limit.ts';
import { type DeploymentClients, deploymentClients } from './deployment/clients.ts';
import type { OperateOptions } from './options.ts';

type Access = Pick<OperateOptions, 'environment' | 'credentials'>;

/** Connects to the journal; call it after all arguments are checked. */
export type ConnectJournal = (region: string) => Pick<Clients, 'dynamoDb' | 'destroy'>;

export function connectJournal({ environment = process.env, credentials }: Access): ConnectJournal {
  return region => clientsOf(region, environment, { first: 'DYNAMODB', quick: ['DYNAMODB'], credentials });
}

/** Connects to all deployed services, within the time limit of a look. */
export type ConnectDeployment = (region: string, limit: TimeLimit) => DeploymentClients;

export function connectDeployment({ environment = process.env, credentials }: Access): ConnectDeployment {
  return (region, limit) => deploymentClients(region, environment, limit, credentials);
}
