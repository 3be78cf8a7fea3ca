import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { permitted } from '../aws/errors.ts';
import { ScratchTableError, TableNotFoundError } from '../errors.ts';
import { type DescribedTable, describeShape } from '../table/describe-table.ts';
import { scratchNameOf } from './scratch-name.ts';

/**
 * The index that marks a table as a drill's: tables without it are never written to or deleted. No item has its attribute, so it
 * stays empty and costs nothing. A tag is not enough, because ListTagsOfResource can lag and DynamoDB Local has no tags.
 */
const MARK = 'precise-ttl-restore-drill';
/** The tag, for people and for their bills. */
const TAG = 'precise-ttl:restore-drill';
/** Time limit for creating or deleting a table, which usually takes seconds and sometimes a minute. */
const WAIT_MS = 5 * 60_000;
const LOOK_MS = 500;
type Shape = Omit<DescribedTable, 'ttl'>;

/** A table that a drill writes to. It has the primary key and the encryption key of the real table, and none of its other settings. */
export class ScratchTable {
  private readonly client: DynamoDBClient;
  private readonly name: string;
  private readonly arn: string;

  private constructor(client: DynamoDBClient, name: string, arn: string) {
    this.client = client;
    this.name = name;
    this.arn = arn;
  }

  /**
   * Creates the table. If an interrupted drill has left one, that is deleted before.
   *
   * @param onLeftBehind called if there was one
   * @throws {ScratchTableError} when a table of this name does not belong to a drill, or DynamoDB takes too long
   * @throws {MissingPermissionError}
   */
  static async create(client: DynamoDBClient, table: Shape, onLeftBehind: () => void): Promise<ScratchTable> {
    const name = scratchNameOf(table.name);
    const old = await find(client, name);
    if (old !== undefined) {
      requireMark(old);
      onLeftBehind();
      await remove(client, old);
    }
    const keys = [table.partitionKey, ...(table.sortKey === undefined ? [] : [table.sortKey])];
    const arn = table.arn.replace(/[^/]*$/, name);
    const { kmsKeyArn } = table.settings;
    await permitted('dynamodb:CreateTable', arn, () =>
      client.send(
        new CreateTableCommand({
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
          KeySchema: keys.map((key, index) => ({
            AttributeName: key.name,
            KeyType: index === 0 ? 'HASH' : 'RANGE',
          })),
          AttributeDefinitions: [...keys, { name: MARK, type: 'S' as const }].map(({ name, type }) => ({
            AttributeName: name,
            AttributeType: type,
          })),
          GlobalSecondaryIndexes: [
            {
              IndexName: MARK,
              KeySchema: [{ AttributeName: MARK, KeyType: 'HASH' }],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          ],
          Tags: [{ Key: TAG, Value: table.name }],
          // The copies of personal data are encrypted with the same key.
          ...(kmsKeyArn !== undefined && {
            SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: kmsKeyArn },
          }),
        }),
      ),
    );
    const scratch = new ScratchTable(client, name, arn);
    try {
      await until(client, name, 'to be made', shape => shape?.status === 'ACTIVE');
    } catch (error) {
      await scratch.remove();
      throw error;
    }
    return scratch;
  }

  /** @returns the write units that it consumed */
  async put(Item: Record<string, AttributeValue>): Promise<number> {
    const command = new PutItemCommand({ TableName: this.name, Item, ReturnConsumedCapacity: 'TOTAL' });
    const { ConsumedCapacity } = await permitted('dynamodb:PutItem', this.arn, () =>
      this.client.send(command),
    );
    return ConsumedCapacity?.CapacityUnits ?? 0;
  }

  async get(Key: Record<string, AttributeValue>): Promise<Record<string, AttributeValue>> {
    const command = new GetItemCommand({ TableName: this.name, Key, ConsistentRead: true });
    return (await permitted('dynamodb:GetItem', this.arn, () => this.client.send(command))).Item ?? {};
  }

  /** Deletes the table in any state. */
  async remove(): Promise<void> {
    const shape = await find(this.client, this.name);
    if (shape !== undefined) await remove(this.client, shape);
  }
}

async function find(client: DynamoDBClient, name: string): Promise<Shape | undefined> {
  try {
    return await describeShape(client, name);
  } catch (error) {
    if (error instanceof TableNotFoundError) return undefined;
    throw error;
  }
}

function requireMark({ name, indexes }: Shape): void {
  if (indexes.some(index => index.name === MARK)) return;
  throw new ScratchTableError(
    `the scratch table ${name}: expected none, or one of a drill before, which has the index ${MARK}, got one without; it is not touched: rename or delete it yourself`,
  );
}

async function remove(client: DynamoDBClient, { name, arn, status }: Shape): Promise<void> {
  // DynamoDB cannot delete a table while it is being created.
  if (status === 'CREATING') await until(client, name, 'to be made', shape => shape?.status !== 'CREATING');
  if (status !== 'DELETING')
    await permitted('dynamodb:DeleteTable', arn, () =>
      client.send(new DeleteTableCommand({ TableName: name })),
    );
  await until(client, name, 'to be deleted', shape => shape === undefined);
}

async function until(
  client: DynamoDBClient,
  name: string,
  what: string,
  isReached: (shape: Shape | undefined) => boolean,
): Promise<void> {
  const endMs = Date.now() + WAIT_MS;
  while (!isReached(await find(client, name))) {
    if (Date.now() > endMs)
      throw new ScratchTableError(
        `the scratch table ${name}: expected it ${what} within ${WAIT_MS / 60_000} minutes, got none of it; run the drill again: it deletes what is left`,
      );
    await sleep(LOOK_MS);
  }
}
