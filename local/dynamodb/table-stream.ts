import {
  DescribeTableCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { TableMismatchError } from '../errors.ts';
import { awsCommand, type ExistingTable, type TableResource } from './table.ts';
import { untilActive } from './tables.ts';

/** Placeholder for the label of a stream in its ARN until the table is created. AWS uses the creation time. */
export const LOCAL_STREAM_LABEL = 'local';

export interface TableStreamOptions {
  readonly tables: readonly TableResource[];
  readonly existingTables: readonly ExistingTable[];
  /** Endpoint of the tables, for the command that creates a missing one. */
  readonly endpoint: string;
}

/**
 * Finds the ARN of the stream that a resource reads, as DynamoDB Local names it. An existing table of the stack without a stream gets one;
 * a table of another owner is not changed.
 * @throws {TableMismatchError} with the command that makes the stream, for a table that has none
 */
export async function requireStream(
  client: DynamoDBClient,
  { address, tableName }: { readonly address: string; readonly tableName: string },
  { tables, existingTables, endpoint }: TableStreamOptions,
): Promise<string> {
  const found = await describe(client, tableName);
  if (hasStream(found)) return found.LatestStreamArn;
  const made = tables.find(({ name }) => name === tableName);
  const StreamSpecification = {
    StreamEnabled: true,
    StreamViewType: made?.stream ?? ('NEW_AND_OLD_IMAGES' as const),
  };
  const request = { TableName: tableName, StreamSpecification };
  if (made === undefined) {
    const region = existingTables.find(({ name }) => name === tableName)?.region ?? 'us-east-1';
    throw new TableMismatchError(
      `${address}: expected the existing table "${tableName}" at ${endpoint} to have a stream, got none. Add it:\n\n` +
        `  ${awsCommand('update-table', request, { endpoint, region })}\n`,
    );
  }
  await client.send(new UpdateTableCommand(request));
  const changed = await untilActive(client, tableName);
  if (hasStream(changed)) return changed.LatestStreamArn;
  throw new TableMismatchError(`${address}: expected table "${tableName}" to have a stream now, got none`);
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  return (await client.send(new DescribeTableCommand({ TableName }))).Table;
}

function hasStream(
  table: TableDescription | undefined,
): table is TableDescription & { readonly LatestStreamArn: string } {
  return table?.StreamSpecification?.StreamEnabled === true && table.LatestStreamArn !== undefined;
}
