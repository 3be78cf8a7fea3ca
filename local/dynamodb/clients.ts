import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { requireLoopback } from 'stepfunctions-emulator/loopback';

/** Every emulator accepts these credentials; no AWS account does. */
export const DUMMY_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
} as const;

/** Returns the configuration of a client. The SDK would read missing fields from the user's environment variables or profiles. */
export function localConfig(endpoint: string, region: string) {
  return {
    endpoint: requireLoopback(endpoint, 'endpoint'),
    region,
    credentials: {
      accessKeyId: DUMMY_CREDENTIALS.AWS_ACCESS_KEY_ID,
      secretAccessKey: DUMMY_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
    },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
  };
}

export function localDynamoDb(
  endpoint: string,
  region: string,
  overrides: Pick<DynamoDBClientConfig, 'maxAttempts' | 'requestHandler'> = {},
): DynamoDBClient {
  return new DynamoDBClient({ ...localConfig(endpoint, region), ...overrides });
}

export function localDynamoDbStreams(endpoint: string, region: string): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient(localConfig(endpoint, region));
}
