import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import type { DynamoDbEndpoint } from 'aws-on-loopback/dynamodb/dynamodb-local';
import { JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import type { JournalTable } from '../../functions/journal/update-entry.ts';

export interface LocalDynamoDb {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
}

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
export function useLocalDynamoDb(): LocalDynamoDb {
  const { endpoint } = dynamoDbOfFile();
  const client = localDynamoDb(endpoint, 'us-east-1');
  afterAll(() => client.destroy());
  return { endpoint, client };
}

let journals = 0;

/** An empty journal on DynamoDB Local, by a client like that of the functions. */
export async function createJournal(client: DynamoDBClient, deployment?: string): Promise<JournalTable> {
  journals += 1;
  const tableName = journalName(deployment ?? `deployment-${journals}`);
  const { partitionKey, sortKey } = JOURNAL_KEYS;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [partitionKey, sortKey].map(name => ({
        AttributeName: name,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  return { documents, tableName };
}
