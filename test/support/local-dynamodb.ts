import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from '../../local/aws-clients.ts';
import { type DynamoDbEndpoint, startDynamoDbLocal } from '../../local/dynamodb-local.ts';

/** A DynamoDB Local of its own for the tests of one file. */
export interface LocalDynamoDb {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
}

/**
 * Starts DynamoDB Local before the tests of the calling file and stops it after them. The result is filled in by
 * then: use it inside tests and hooks only.
 */
export function useLocalDynamoDb(): LocalDynamoDb {
  let server: DynamoDbEndpoint | undefined;
  let client: DynamoDBClient | undefined;
  beforeAll(async () => {
    server = await startDynamoDbLocal();
    client = localDynamoDb(server.endpoint, 'us-east-1');
  }, 40_000);
  afterAll(async () => {
    client?.destroy();
    await server?.stop();
  });
  const ready = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('DynamoDB Local is there inside tests and hooks only');
    return value;
  };
  return {
    get endpoint() {
      return ready(server).endpoint;
    },
    get client() {
      return ready(client);
    },
  };
}
