import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsClient } from '../aws/client.ts';
import { type Environment, isLocal } from '../aws/endpoint.ts';
import { type DescribedTable, describeShape } from '../table/describe-table.ts';

export type TableSize = Pick<DescribedTable, 'itemCount' | 'sizeBytes'>;

/**
 * Asks DynamoDB how large a table is.
 *
 * @param local whether Step Functions is that of this machine; a table elsewhere is none of its business
 * @returns undefined when it cannot be asked: Step Functions is on this machine, and nothing says where DynamoDB is
 * @throws {TableNotFoundError} {MissingPermissionError}, or the SDK's error
 */
export async function tableSize(
  tableName: string,
  region: string,
  environment: Environment,
  local: boolean,
): Promise<TableSize | undefined> {
  if (local && !isLocal(environment, 'DYNAMODB')) return undefined;
  const client = awsClient(config => new DynamoDBClient(config), 'DYNAMODB', region, environment);
  try {
    return await describeShape(client, tableName);
  } finally {
    client.destroy();
  }
}
