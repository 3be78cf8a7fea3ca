import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig } from '../aws/client-config.ts';
import { type Environment, localEndpoint } from '../aws/endpoint.ts';
import { BackfillError } from './errors.ts';

/** How large a table is. DynamoDB counts about every six hours. */
export interface TableSize {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Asks DynamoDB how large a table is.
 *
 * @param local whether Step Functions is that of this machine; a table elsewhere is none of its business
 * @returns undefined when it cannot be asked: Step Functions is on this machine, and nothing says where DynamoDB is
 * @throws {BackfillError} when there is no such table; the SDK's error otherwise
 */
export async function tableSize(
  tableName: string,
  region: string,
  environment: Environment,
  local: boolean,
): Promise<TableSize | undefined> {
  const endpoint = localEndpoint(environment, 'DYNAMODB');
  if (local && endpoint === undefined) return undefined;
  const client = new DynamoDBClient(clientConfig('DYNAMODB', region, environment));
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return { items: Table?.ItemCount ?? 0, bytes: Table?.TableSizeBytes ?? 0 };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ResourceNotFoundException')) throw error;
    throw new BackfillError(
      `table: expected ${tableName} at ${endpoint?.value ?? region}, got none of that name; look whether account, ` +
        'region and AWS_ENDPOINT_URL_DYNAMODB are the right ones',
    );
  } finally {
    client.destroy();
  }
}
