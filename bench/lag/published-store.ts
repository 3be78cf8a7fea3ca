import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { WindowModel } from '../../expiry/index.ts';
import type { PublishedStore } from './published-algorithm.ts';

type Key = Record<string, unknown>;

/** The published algorithm's requests to a table of DynamoDB. */
export function publishedStore(
  client: DynamoDBClient,
  tableName: string,
  indexName: string,
  { partitionKey, sortKey, ttlAttribute, windowAttribute }: WindowModel,
): PublishedStore<Key> {
  const documents = DynamoDBDocumentClient.from(client);
  const keyNames = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return {
    queryPage: async (windowKey, before) => {
      // No Limit: the page ends where DynamoDB ends it.
      const { Items = [] } = await documents.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: indexName,
          KeyConditionExpression: '#window = :window AND #ttl < :before',
          ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
          ExpressionAttributeValues: { ':window': windowKey, ':before': before },
        }),
      );
      return Items.map(item => Object.fromEntries(keyNames.map(name => [name, item[name]])));
    },
    deleteBatch: async keys => {
      const { UnprocessedItems } = await documents.send(
        new BatchWriteCommand({
          RequestItems: { [tableName]: keys.map(key => ({ DeleteRequest: { Key: key } })) },
        }),
      );
      return (UnprocessedItems?.[tableName] ?? []).flatMap(({ DeleteRequest }) => DeleteRequest?.Key ?? []);
    },
  };
}
