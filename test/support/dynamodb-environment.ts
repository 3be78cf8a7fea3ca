import { DeleteTableCommand, paginateListTables } from '@aws-sdk/client-dynamodb';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { type DynamoDbEndpoint, startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';

declare global {
  /** Of the worker's DynamoDB Local, in test files that ask for this environment. */
  var dynamoDbLocal: DynamoDbEndpoint | undefined;
}

/**
 * One DynamoDB Local for all test files of a jest worker, which run one after another: it starts with the first that
 * asks for it and ends with the worker. Java is slow until it is warm, and starting it takes a second and more.
 */
let shared: Promise<DynamoDbEndpoint> | undefined;

/**
 * A Node environment with DynamoDB Local and no tables in it. Ask for it in the first comment of a test file and use
 * it through `useLocalDynamoDb` or `useLocalSweep`.
 */
export default class DynamoDbEnvironment extends NodeEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    shared ??= startDynamoDbLocal();
    const { endpoint } = await shared;
    await deleteTables(endpoint);
    this.global.dynamoDbLocal = { endpoint, startedHere: false, stop: async () => {} };
  }
}

async function deleteTables(endpoint: string): Promise<void> {
  const client = localDynamoDb(endpoint, 'us-east-1');
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const TableName of TableNames) await client.send(new DeleteTableCommand({ TableName }));
  }
  client.destroy();
}
