import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type AwsClient, awsClient } from '../aws/client.ts';
import type { Credentials } from '../aws/client-config.ts';
import { type Environment, isLocal, type Service } from '../aws/endpoint.ts';
import type { TimeLimit } from '../aws/time-limit.ts';

/** The services that are asked, as the variables of their endpoints end. */
const ASKED = [
  'DYNAMODB',
  'SFN',
  'SCHEDULER',
  'SQS',
  'LAMBDA',
  'CLOUDWATCH',
] as const satisfies readonly Service[];

/** A client for each service; undefined for one that must not be asked. */
export interface DeploymentClients {
  /** Some service has an endpoint on this machine. The others are not asked: theirs would be that of a real account. */
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
 * @param limit of all that is asked with them
 * @throws {InputError} when the environment names an endpoint that is none
 */
export function deploymentClients(
  region: string,
  environment: Environment,
  limit?: TimeLimit,
  credentials?: Credentials,
): DeploymentClients {
  const local = ASKED.filter(service => isLocal(environment, service));
  const isOnThisMachine = local.length > 0;
  const made: { destroy(): void }[] = [];
  const make = <Client extends AwsClient>(
    service: (typeof ASKED)[number],
    create: Parameters<typeof awsClient<Client>>[0],
  ): Client | undefined => {
    if (isOnThisMachine && !local.includes(service)) return undefined;
    const client = awsClient(create, service, region, environment, { quick: true, limit, credentials });
    made.push(client);
    return client;
  };
  return {
    isLocal: isOnThisMachine,
    dynamoDb: make('DYNAMODB', config => new DynamoDBClient(config)),
    // Some of its calls go to a host of another name, which no endpoint on this machine has.
    sfn: make('SFN', config => new SFNClient({ ...config, disableHostPrefix: isOnThisMachine })),
    scheduler: make('SCHEDULER', config => new SchedulerClient(config)),
    // Else the client would follow the queue's URL, wherever that leads.
    sqs: make('SQS', config => new SQSClient({ ...config, useQueueUrlAsEndpoint: !isOnThisMachine })),
    lambda: make('LAMBDA', config => new LambdaClient(config)),
    cloudWatch: make('CLOUDWATCH', config => new CloudWatchClient(config)),
    destroy() {
      for (const client of made) client.destroy();
    },
  };
}
