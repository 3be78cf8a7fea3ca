import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsClient } from '../aws/client.ts';
import { type Environment, isLocal, isThisMachine } from '../aws/endpoint.ts';
import { noteEndpoint } from '../aws/note-endpoint.ts';

export interface AdoptClients {
  readonly dynamoDb: DynamoDBClient;
  /** Where its requests go, known once one was made: whatever the environment and the profiles say. */
  endpoint(): URL | undefined;
  /**
   * Undefined for a DynamoDB on this machine, unless a CloudWatch on this machine is named too: the metrics of a table of that
   * name in some account are not those of this one. To be called after DynamoDB has answered.
   */
  cloudWatch(): CloudWatchClient | undefined;
}

/**
 * The SDK's own clients, with the SDK's own configuration.
 *
 * @param region the SDK finds it where it is not given
 * @throws {FlagError} when the environment names an endpoint that is none
 */
export function adoptClients(region: string | undefined, environment: Environment): AdoptClients {
  const dynamoDb = awsClient(config => new DynamoDBClient(config), 'DYNAMODB', region, environment);
  const endpoint = noteEndpoint(dynamoDb);
  let metrics: CloudWatchClient | undefined;
  return {
    dynamoDb,
    endpoint,
    cloudWatch() {
      const named = environment['AWS_ENDPOINT_URL_CLOUDWATCH'] && isLocal(environment, 'CLOUDWATCH');
      const where = endpoint();
      if (where === undefined || (isThisMachine(where.hostname) && !named)) return undefined;
      metrics ??= awsClient(config => new CloudWatchClient(config), 'CLOUDWATCH', region, environment);
      return metrics;
    },
  };
}
