import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Fate } from '../changes.ts';
import type { DescribedTable } from '../table/describe-table.ts';
import { permitted } from '../table/permitted.ts';

/**
 * Writes an item unless one with its key exists, whether expired or not, older or newer.
 *
 * @throws {MissingPermissionError}, and every other error that would fail for all items
 */
export async function putBack(
  client: DynamoDBClient,
  { name, arn, partitionKey }: Pick<DescribedTable, 'name' | 'arn' | 'partitionKey'>,
  Item: Record<string, AttributeValue>,
): Promise<Fate> {
  try {
    await permitted('dynamodb:PutItem', arn, () =>
      client.send(
        new PutItemCommand({
          TableName: name,
          Item,
          ConditionExpression: 'attribute_not_exists(#pk)',
          ExpressionAttributeNames: { '#pk': partitionKey.name },
        }),
      ),
    );
    return { fate: 'restored' };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { fate: 'thereAlready' };
    // The error is about this item only: its new window makes it too large, or its key does not fit an index any more.
    if (error instanceof Error && error.name === 'ValidationException')
      return { fate: 'failed', reason: error.name };
    throw error;
  }
}
