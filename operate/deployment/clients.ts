import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type AwsClient, awsClient, type Clients, clientsOf } from '../aws/clients.ts';
import { type Environment, isLocal, type Service } from '../aws/endpoint.ts';
import type { OperateOptions } from '../options.ts';
import type { TimeLimit } from '../time-limit.ts';

/** Services that are called, by the ends of their endpoint variables. */
const ASKED = [
  'DYNAMODB',
  'SFN',
  'SCHEDULER',
  'SQS',
  'LAMBDA',
  'CLOUDWATCH',
] as const satisfies readonly Service[];

/** A client for each service; undefined if the service must not be called. */
export interface DeploymentClients {
  /**
   * Whether some service has an endpoint on this machine. Services without one are then not called, because they would be those of
   * a real account.
   */
  readonly isLocal: boolean;
  readonly dynamoDb: DynamoDBClient | undefined;
  readonly sfn: SFNClient | undefined;
  readonly scheduler: SchedulerClient | undefined;
  readonly sqs: SQSClient | undefined;
  readonly lambda: LambdaClient | undefined;
  readonly cloudWatch: CloudWatchClient | undefined;
  destroy(): void;
}

/**
 * Creates the clients. @param limit time limit of all their requests
 * @throws {InputError} when the environment names an invalid endpoint
 */
export function deploymentClients(
  region: string,
  environment: Environment,
  limit?: TimeLimit,
): DeploymentClients {
  const local = ASKED.filter(service => isLocal(environment, service));
  const isOnThisMachine = local.length > 0;
  const made: { destroy(): void }[] = [];
  const make = <Client extends AwsClient>(
    service: (typeof ASKED)[number],
    create: Parameters<typeof awsClient<Client>>[0],
  ): Client | undefined => {
    if (isOnThisMachine && !local.includes(service)) return undefined;
    const client = awsClient(create, service, region, environment, { quick: true, limit });
    made.push(client);
    return client;
  };
  return {
    isLocal: isOnThisMachine,
    dynamoDb: make('DYNAMODB', config => new DynamoDBClient(config)),
    // Some calls add a prefix to the host name, which does not exist on this machine.
    sfn: make('SFN', config => new SFNClient({ ...config, disableHostPrefix: isOnThisMachine })),
    scheduler: make('SCHEDULER', config => new SchedulerClient(config)),
    // Otherwise the client would send requests to the host of the queue's URL.
    sqs: make('SQS', config => new SQSClient({ ...config, useQueueUrlAsEndpoint: !isOnThisMachine })),
    lambda: make('LAMBDA', config => new LambdaClient(config)),
    cloudWatch: make('CLOUDWATCH', config => new CloudWatchClient(config)),
    destroy() {
      for (const client of made) client.destroy();
    },
  };
}

type Access = Pick<OperateOptions, 'environment'>;

/** Connects to the journal; call it after all arguments are checked. */
export type ConnectJournal = (region: string) => Pick<Clients, 'dynamoDb' | 'destroy'>;

export function connectJournal({ environment = process.env }: Access): ConnectJournal {
  return region => clientsOf(region, environment, { first: 'DYNAMODB', quick: ['DYNAMODB'] });
}

/** Connects to all deployed services, within the time limit of a look. */
export type ConnectDeployment = (region: string, limit: TimeLimit) => DeploymentClients;

export function connectDeployment({ environment = process.env }: Access): ConnectDeployment {
  return (region, limit) => deploymentClients(region, environment, limit);
}
