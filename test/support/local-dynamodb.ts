import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import type { DynamoDbEndpoint } from '../../local/dynamodb/dynamodb-local.ts';

/** The DynamoDB Local of this test file, without tables before its first test. Stopping it does nothing. */
export function dynamoDbOfFile(): DynamoDbEndpoint {
  if (globalThis.dynamoDbLocal === undefined) {
    throw new Error(
      'there is no DynamoDB Local: the file must begin with /** @jest-environment ./test/support/dynamodb-environment.ts */',
    );
  }
  return globalThis.dynamoDbLocal;
}

/** DynamoDB Local and a client for the tests of the calling file. */
export function useLocalDynamoDb() {
  const { endpoint } = dynamoDbOfFile();
  const client = localDynamoDb(endpoint, 'us-east-1');
  afterAll(() => client.destroy());
  return { endpoint, client };
}
