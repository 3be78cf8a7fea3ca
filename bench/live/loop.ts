import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { guardedDelete } from '../../functions/delete-chunk/guarded-delete.ts';
import type { SweepSettings } from '../../functions/runtime/environment.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../statemachine/contract.ts';

type Item = Record<string, unknown>;

/**
 * Deletes what expires at one time as a script would: it reads the index page by page, and makes as many calls at once as a sweep does.
 * None of them waits for another, and the next page is read as soon as one has nothing to do. It reports nothing, and leaves what DynamoDB
 * leaves.
 *
 * @param settings of a table with a sort key, windows and one shard
 * @returns items deleted
 */
export async function deleteInLoop(
  client: DynamoDBClient,
  settings: SweepSettings,
  ttl: number,
): Promise<number> {
  const { tableName, indexName, model, deleteMode, chunkConcurrency } = settings;
  const documents = DynamoDBDocumentClient.from(client);
  const { partitionKey, sortKey = '', ttlAttribute, windowAttribute = '' } = model;
  const { statement } = guardedDelete(settings);

  async function* expiredChunks(): AsyncGenerator<Item[]> {
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await documents.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: indexName,
          KeyConditionExpression: '#window = :window AND #ttl <= :ttl',
          ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
          ExpressionAttributeValues: {
            ':window': windowKey(windowStart(ttl, model.granularitySeconds), model.granularitySeconds),
            ':ttl': ttl,
          },
          Limit: PAGE_KEYS,
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      const items = page.Items ?? [];
      for (let at = 0; at < items.length; at += CHUNK_KEYS) yield items.slice(at, at + CHUNK_KEYS);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }

  const deleteGuarded = async (items: readonly Item[]): Promise<number> => {
    const { Responses = [] } = await documents.send(
      new BatchExecuteStatementCommand({
        Statements: items.map(item => ({
          Statement: statement,
          Parameters: [item[partitionKey], item[sortKey], ttl, 0],
        })),
      }),
    );
    return Responses.filter(({ Item }) => Item !== undefined).length;
  };
  const deleteBatch = async (items: readonly Item[]): Promise<number> => {
    const requests = items.map(item => ({
      DeleteRequest: { Key: { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] } },
    }));
    const { UnprocessedItems } = await documents.send(
      new BatchWriteCommand({ RequestItems: { [tableName]: requests } }),
    );
    return items.length - (UnprocessedItems?.[tableName]?.length ?? 0);
  };

  const chunks = expiredChunks();
  let deleted = 0;
  const worker = async (): Promise<void> => {
    for await (const items of chunks) {
      const count = await (deleteMode === 'guarded' ? deleteGuarded(items) : deleteBatch(items));
      deleted += count;
    }
  };
  await Promise.all(Array.from({ length: chunkConcurrency }, worker));
  return deleted;
}
