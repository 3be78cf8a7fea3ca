import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { TableResource } from 'aws-on-loopback/dynamodb/table';
import { ensureTable } from 'aws-on-loopback/dynamodb/tables';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../../config/props.ts';
import { expiryAttributes } from '../../../expiry/index.ts';
import { windowKey, windowStart } from '../../../expiry/window.ts';
import { guardedDelete } from '../../../functions/delete-chunk/guarded-delete.ts';
import { carriedSettings, readSettings, type SweepSettings } from '../../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import { CHUNK_KEYS, PAGE_KEYS } from '../../../statemachine/contract/limits.ts';

/** Number of concurrent puts. */
const WRITERS = 8;

/** Age of an item's expiry when it is written, seconds. */
const EXPIRED_AGO = 60;

// Items of about 250 bytes.
const PAYLOAD = 'x'.repeat(150);

/** A table of items that have expired, which no schedule sweeps. */
export interface ExpiredTable {
  readonly settings: SweepSettings;
  /** Settings, as the input of an execution carries them. */
  readonly carried: CarriedSettings;
  /**
   * Writes items that expired a minute ago.
   * @returns their TTL, epoch seconds
   */
  fill(items: number): Promise<number>;
}

/**
 * @param props props of the deployed table; it needs a sort key
 * @param like the synthesized table with the same settings
 */
export async function makeExpiredTable(
  client: DynamoDBClient,
  props: PreciseTtlProps,
  like: TableResource,
): Promise<ExpiredTable> {
  const { tableName } = props;
  await ensureTable(client, { ...like, name: tableName, address: tableName });
  const carried = { ...carriedSettings(functionSettings(resolveProps(props))) };
  const settings = readSettings(carried);
  const { model } = settings;
  const fill = async (items: number): Promise<number> => {
    const expiresAt = Math.floor(Date.now() / 1000) - EXPIRED_AGO;
    let written = 0;
    const writer = async (): Promise<void> => {
      while (written < items) {
        const from = written;
        written = Math.min(items, from + CHUNK_KEYS);
        const requests = Array.from({ length: written - from }, (_unused, index) => {
          const key = {
            [model.partitionKey]: `user-${(from + index) % 97}`,
            [model.sortKey ?? '']: `${from + index}`,
          };
          const item = { ...key, payload: PAYLOAD, ...expiryAttributes(model, key, { expiresAt }) };
          return { PutRequest: { Item: marshall(item) } };
        });
        await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    return expiresAt;
  };
  return { settings, carried, fill };
}

type Item = Record<string, unknown>;

/**
 * Deletes the items of one TTL as a script would: it reads the index page by page, with as many concurrent calls as a sweep. No call waits
 * for another, and the next page is read when a worker is free. It reports nothing, and does not retry unprocessed items.
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

const WARM_ROUNDS = 30;
const WARM_ITEMS = 300;

/**
 * Lets Java compile its delete code: the first deletes by PartiQL take two seconds of processor time, and would distort the measurement.
 */
export async function warmUp(client: DynamoDBClient, table: ExpiredTable): Promise<void> {
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    await deleteInLoop(client, table.settings, await table.fill(WARM_ITEMS));
  }
}
