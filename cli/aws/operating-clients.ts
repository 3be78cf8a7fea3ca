import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SFNClient } from '@aws-sdk/client-sfn';
import { awsClient } from './client.ts';
import { type Environment, isThisMachine } from './endpoint.ts';
import { noteEndpoint } from './note-endpoint.ts';
import { stepFunctionsClient } from './step-functions.ts';

/**
 * What a running deployment is operated with: its journal, and its state machines. Where a change would be made is said before. What only
 * looks takes the clients of cli/deployment/clients.ts, as many as there are.
 */
export interface OperatingClients {
  readonly dynamoDb: DynamoDBClient;
  readonly sfn: SFNClient;
  /** Where requests go; known once one was made of the journal. */
  where(): string;
  /** Whether that is this machine. */
  isLocal(): boolean;
  destroy(): void;
}

/** @throws {FlagError} when the environment names an endpoint that is none */
export function operatingClients(region: string, environment: Environment): OperatingClients {
  const dynamoDb = awsClient(config => new DynamoDBClient(config), 'DYNAMODB', region, environment, {
    quick: true,
  });
  const endpoint = noteEndpoint(dynamoDb);
  const { sfn } = stepFunctionsClient(region, environment, { quick: true });
  return {
    dynamoDb,
    sfn,
    where: () => endpoint()?.origin ?? region,
    isLocal: () => isThisMachine(endpoint()?.hostname ?? ''),
    destroy() {
      dynamoDb.destroy();
      sfn.destroy();
    },
  };
}
