import { type Clients, clientsOf } from './aws/clients.ts';
import type { TimeLimit } from './aws/time-limit.ts';
import { type DeploymentClients, deploymentClients } from './deployment/clients.ts';
import type { OperateOptions } from './options.ts';

type Access = Pick<OperateOptions, 'environment' | 'credentials'>;

/** Connects to the journal; called when everything that was given has been found right. */
export type ConnectJournal = (region: string) => Pick<Clients, 'dynamoDb' | 'destroy'>;

export function connectJournal({ environment = process.env, credentials }: Access): ConnectJournal {
  return region => clientsOf(region, environment, { first: 'DYNAMODB', quick: ['DYNAMODB'], credentials });
}

/** Connects to everything that is deployed, within the time that a look has. */
export type ConnectDeployment = (region: string, limit: TimeLimit) => DeploymentClients;

export function connectDeployment({ environment = process.env, credentials }: Access): ConnectDeployment {
  return (region, limit) => deploymentClients(region, environment, limit, credentials);
}
