import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type ExpiryModel, expiryAttributes, withExpiry } from '../../expiry/index.ts';
import { windowKey } from '../../expiry/window.ts';
import type { Ttl } from '../demo/ledger.ts';
import type { IndexEntry } from '../faults/index.ts';
import type { Present, Removal } from './truth.ts';

const VERSION = 'Version';
const PAYLOAD = 'x'.repeat(120);

/** The index entry of what was written, for answers that are stale later. */
export interface Indexed {
  readonly indexKey: string;
  readonly entry: IndexEntry;
}

/** The items of a run: of a table whose partition key is a string and its only key. */
export class ChaosItems {
  readonly #documents: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #model: ExpiryModel;

  constructor(client: DynamoDBClient, tableName: string, model: ExpiryModel) {
    this.#documents = DynamoDBDocumentClient.from(client);
    this.#tableName = tableName;
    this.#model = model;
  }

  /** @param olderStamp in the window (start, end] of shard 0, as items were stamped before this project */
  async write(id: string, version: number, ttl: Ttl, olderStamp: boolean): Promise<Indexed | undefined> {
    const expiry = this.#stamp(id, ttl, olderStamp);
    const Item = { ...this.#key(id), [VERSION]: version, Payload: PAYLOAD, ...expiry };
    await this.#documents.send(new PutCommand({ TableName: this.#tableName, Item }));
    return this.#indexed(id, expiry);
  }

  /** @returns whether the item was still there */
  async renew(id: string, version: number, ttl: Ttl): Promise<boolean> {
    const request = withExpiry(
      this.#model,
      {
        TableName: this.#tableName,
        Key: this.#key(id),
        UpdateExpression: `SET ${VERSION} = :version`,
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#key': this.#model.partitionKey },
        ExpressionAttributeValues: { ':version': version },
      },
      ttl === undefined ? { ttlSeconds: 0 } : { expiresAt: ttl },
    );
    return this.#met(new UpdateCommand(request));
  }

  /** Deletes one version of an item, never a later one. */
  async delete(id: string, version: number): Promise<'deleted' | 'was gone' | 'unsure'> {
    try {
      const deleted = await this.#met(
        new DeleteCommand({
          TableName: this.#tableName,
          Key: this.#key(id),
          ConditionExpression: `${VERSION} = :version`,
          ExpressionAttributeValues: { ':version': version },
        }),
      );
      return deleted ? 'deleted' : 'was gone';
    } catch {
      return 'unsure';
    }
  }

  /** Whether there is such an item. */
  async exists(id: string): Promise<boolean> {
    const { Item } = await this.#documents.send(
      new GetCommand({ TableName: this.#tableName, Key: this.#key(id), ConsistentRead: true }),
    );
    return Item !== undefined;
  }

  /** Everything in the table, read consistently. */
  async readAll(): Promise<Map<string, Present>> {
    const present = new Map<string, Present>();
    const { partitionKey, ttlAttribute } = this.#model;
    let startKey: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#documents.send(
        new ScanCommand({
          TableName: this.#tableName,
          ConsistentRead: true,
          ...(startKey ? { ExclusiveStartKey: startKey } : {}),
        }),
      );
      for (const item of Items) {
        const ttl: unknown = item[ttlAttribute];
        present.set(String(item[partitionKey]), {
          version: Number(item[VERSION]),
          ttl: typeof ttl === 'number' ? ttl : undefined,
        });
      }
      startKey = LastEvaluatedKey;
    } while (startKey);
    return present;
  }

  /** An item as the stream has it. */
  read(image: Readonly<Record<string, AttributeValue>>): {
    id: string;
    version: number;
    ttl: Removal['ttl'];
  } {
    const ttl = image[this.#model.ttlAttribute]?.N;
    return {
      id: image[this.#model.partitionKey]?.S ?? '',
      version: Number(image[VERSION]?.N),
      ttl: ttl === undefined ? undefined : Number(ttl),
    };
  }

  /** @returns false when the condition was not met */
  async #met(command: UpdateCommand | DeleteCommand): Promise<boolean> {
    try {
      await this.#documents.send(command as UpdateCommand);
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  #key(id: string): Record<string, string> {
    return { [this.#model.partitionKey]: id };
  }

  #stamp(id: string, ttl: Ttl, olderStamp: boolean): Record<string, number | string> {
    if (ttl === undefined) return {};
    const { granularitySeconds: granularity, ttlAttribute, windowAttribute } = this.#model;
    if (!olderStamp) return expiryAttributes(this.#model, this.#key(id), { expiresAt: ttl });
    const start = Math.ceil(ttl / granularity) * granularity - granularity;
    return { [ttlAttribute]: ttl, [windowAttribute]: windowKey(start, granularity) };
  }

  #indexed(id: string, expiry: Readonly<Record<string, number | string>>): Indexed | undefined {
    const { partitionKey, ttlAttribute, windowAttribute } = this.#model;
    const indexKey = expiry[windowAttribute];
    if (typeof indexKey !== 'string') return undefined;
    const entry = {
      [partitionKey]: { S: id },
      [windowAttribute]: { S: indexKey },
      [ttlAttribute]: { N: String(expiry[ttlAttribute]) },
    };
    return { indexKey, entry };
  }
}
