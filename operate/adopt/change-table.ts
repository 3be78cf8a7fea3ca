import {
  type AttributeDefinition,
  type DynamoDBClient,
  type KeySchemaElement,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { DescribedTable } from '../table/describe-table.ts';
import { permitted } from '../table/permitted.ts';
import type { IndexPlan } from './index-plan.ts';

/**
 * Asks DynamoDB to build the index. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function createIndex(
  client: DynamoDBClient,
  table: DescribedTable,
  index: IndexPlan,
): Promise<void> {
  await permitted('dynamodb:UpdateTable', table.arn, () =>
    client.send(new UpdateTableCommand(updateTableInput(table, index))),
  );
}

/** The request that adds the index and changes nothing else. */
export function updateTableInput(
  { name, attributeTypes }: Pick<DescribedTable, 'name' | 'attributeTypes'>,
  index: IndexPlan,
): UpdateTableCommandInput {
  const { partitionKeys, sortKeys, throughput } = index;
  const types = {
    ...attributeTypes,
    ...Object.fromEntries([...partitionKeys, ...sortKeys].map(key => [key.name, key.type])),
  };
  const key = (KeyType: KeySchemaElement['KeyType']) => (attribute: { readonly name: string }) => ({
    AttributeName: attribute.name,
    KeyType,
  });
  return {
    TableName: name,
    AttributeDefinitions: Object.entries(types).map(
      ([AttributeName, AttributeType]): AttributeDefinition => ({ AttributeName, AttributeType }),
    ),
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: index.name,
          KeySchema: [...partitionKeys.map(key('HASH')), ...sortKeys.map(key('RANGE'))],
          Projection: { ProjectionType: 'KEYS_ONLY' },
          ...(throughput && {
            ProvisionedThroughput: {
              ReadCapacityUnits: throughput.readUnits,
              WriteCapacityUnits: throughput.writeUnits,
            },
          }),
        },
      },
    ],
  };
}

/**
 * Turns native TTL on. Other errors are the SDK's.
 *
 * @throws {MissingPermissionError}
 */
export async function enableNativeTtl(
  client: DynamoDBClient,
  { name, arn }: DescribedTable,
  attribute: string,
): Promise<void> {
  await permitted('dynamodb:UpdateTimeToLive', arn, () =>
    client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { Enabled: true, AttributeName: attribute },
      }),
    ),
  );
}
