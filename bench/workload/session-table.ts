import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type Clock, realClock } from 'stepfunctions-emulator';
import type { EventImage } from '../../expiry/expiry-event.ts';
import { type ExpiryModel, expiryAttributes, withExpiry } from '../../expiry/index.ts';
import { shardOf } from '../../expiry/shard.ts';
import type { TableResource } from '../../local/dynamodb/table.ts';
import type { DeleteOutcome, Present, Ttl } from '../ledger/item.ts';
import type { Item } from './plan.ts';

// Items of about 250 bytes.
const PAYLOAD = 'x'.repeat(150);
const USERS = 97;

// Attribute names that are unlikely to be keys of a configured table.
const VERSION = 'LabVersion';
const PAYLOAD_ATTRIBUTE = 'LabPayload';

export interface SessionTableOptions {
  readonly table: TableResource;
  readonly model: ExpiryModel;
  /**
   * Prefix of the names of the items. It distinguishes this run's items from others in the table, unless their keys are numbers.
   */
  readonly prefix: string;
  /** @default the wall clock */
  readonly clock?: Clock;
}

/**
 * Sessions in a swept table, written as an application writes them: through the helpers of `expiry/`. Every item contains its version, so
 * an observer of its deletion knows which write it was.
 */
export class SessionTable {
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: TableResource;
  readonly #model: ExpiryModel;
  readonly #prefix: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, options: SessionTableOptions) {
    const { table, model, prefix, clock = realClock } = options;
    this.#documents = DynamoDBDocumentClient.from(client);
    this.#table = table;
    this.#model = model;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** Writes an item, with the attributes by which it expires. */
  async write(item: Item, version: number, ttl: Ttl): Promise<void> {
    const key = this.#key(item);
    const Item = {
      ...key,
      [VERSION]: version,
      [PAYLOAD_ATTRIBUTE]: PAYLOAD,
      ...this.#expiry(key, ttl),
    };
    await this.#documents.send(new PutCommand({ TableName: this.#table.name, Item }));
  }

  /**
   * Gives a session another TTL, or none.
   * @returns whether it was still there
   */
  renew(item: Item, version: number, ttl: Ttl): Promise<boolean> {
    const request = withExpiry(
      this.#model,
      {
        TableName: this.#table.name,
        Key: this.#key(item),
        UpdateExpression: `SET ${VERSION} = :version`,
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#key': this.#model.partitionKey },
        ExpressionAttributeValues: { ':version': version },
      },
      ttl === undefined ? { ttlSeconds: 0 } : { expiresAt: ttl, nowMs: this.#clock.now() },
    );
    return met(() => this.#documents.send(new UpdateCommand(request)));
  }

  /** Deletes one version of an item, never a later one. */
  async delete(item: Item, version: number): Promise<DeleteOutcome> {
    const request = {
      TableName: this.#table.name,
      Key: this.#key(item),
      ConditionExpression: `${VERSION} = :version`,
      ExpressionAttributeValues: { ':version': version },
    };
    try {
      const deleted = await met(() => this.#documents.send(new DeleteCommand(request)));
      return deleted ? 'deleted' : 'was gone';
    } catch {
      return 'unsure';
    }
  }

  /** Reads all items by id, consistently. */
  async readAll(): Promise<Map<string, Present>> {
    const present = new Map<string, Present>();
    let startKey: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#documents.send(
        new ScanCommand({
          TableName: this.#table.name,
          ConsistentRead: true,
          ProjectionExpression: '#key, #version, #ttl',
          ExpressionAttributeNames: {
            '#key': this.#uniqueKey,
            '#version': VERSION,
            '#ttl': this.#model.ttlAttribute,
          },
          ...(startKey ? { ExclusiveStartKey: startKey } : {}),
        }),
      );
      for (const item of Items) {
        const ttl: unknown = item[this.#model.ttlAttribute];
        present.set(idOf(item[this.#uniqueKey]), {
          version: Number(item[VERSION]),
          ttl: typeof ttl === 'number' ? ttl : undefined,
        });
      }
      startKey = LastEvaluatedKey;
    } while (startKey);
    return present;
  }

  /** The shard of the window that an item is in. */
  shard(item: Item): number {
    return shardOf(this.#key(item), this.#model, this.#model.shards);
  }

  /** The id that an item has in the ledger. */
  id(item: Item): string {
    return idOf(this.#key(item)[this.#uniqueKey]);
  }

  /** Reads an item from DynamoDB's JSON. */
  read(image: EventImage): Present & { id: string } {
    const scalar = (name: string): Scalar => (image[name] ?? {}) as Scalar;
    const key = scalar(this.#uniqueKey);
    const { N: ttl } = scalar(this.#model.ttlAttribute);
    const { N: version } = scalar(VERSION);
    return {
      id: key.S ?? key.N ?? Buffer.from(key.B ?? '', 'base64').toString(),
      version: Number(version),
      ttl: ttl === undefined ? undefined : Number(ttl),
    };
  }

  /** Sort keys are unique in a run; without a sort key the partition key must be. */
  get #uniqueKey(): string {
    return this.#model.sortKey ?? this.#model.partitionKey;
  }

  #key(item: Item): Record<string, string | number | Uint8Array> {
    const { partitionKey, sortKey } = this.#model;
    const name = `${this.#prefix}-${item}`;
    // A number with the prefix would exceed JavaScript's safe integers.
    const user = item % USERS;
    return sortKey === undefined
      ? { [partitionKey]: this.#value(partitionKey, name, item) }
      : {
          [partitionKey]: this.#value(partitionKey, `user-${user}`, user),
          [sortKey]: this.#value(sortKey, name, item),
        };
  }

  #expiry(key: Record<string, unknown>, expiresAt: Ttl): object {
    if (expiresAt === undefined) return expiryAttributes(this.#model, key, { ttlSeconds: 0 });
    return expiryAttributes(this.#model, key, { expiresAt, nowMs: this.#clock.now() });
  }

  #value(attribute: string, text: string, number: number): string | number | Uint8Array {
    const type = this.#table.attributes[attribute];
    return type === 'N' ? number : type === 'B' ? Buffer.from(text) : text;
  }
}

/** Bytes are in base64. */
type Scalar = { readonly [Type in 'S' | 'N' | 'B']?: string };

/** Sends a request. @returns false when its condition was not met */
async function met(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

function idOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}
