import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
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
import type { Deed, DeleteOutcome, Present, Ttl } from '../ledger/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Action, Item } from './plan.ts';

// Items of about 250 bytes.
const PAYLOAD = 'x'.repeat(150);
const USERS = 97;

/** Items of a batch, the most that DynamoDB takes, and batches at a time. */
const BATCH_ITEMS = 25;
const BATCHES = 4;

// Attribute names that are unlikely to be keys of a configured table.
const VERSION = 'BenchVersion';
const PAYLOAD_ATTRIBUTE = 'BenchPayload';

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

const DEEDS = {
  write: 'wrote',
  renew: 'renewed',
  makePermanent: 'made permanent',
} as const satisfies Readonly<Record<Exclude<Action['kind'], 'delete'>, Deed>>;

/**
 * Sessions in a swept table, written as an application writes them: through the helpers of `expiry/`. Every item contains its version, so
 * an observer of its deletion knows which write it was. The ledger gets what DynamoDB acknowledged.
 */
export class SessionTable {
  readonly #documents: DynamoDBDocumentClient;
  readonly #ledger: Ledger;
  readonly #table: TableResource;
  readonly #model: ExpiryModel;
  readonly #prefix: string;
  readonly #clock: Clock;
  /** Last acknowledged version of each item. */
  readonly #versions = new Map<Item, number>();

  constructor(client: DynamoDBClient, ledger: Ledger, options: SessionTableOptions) {
    const { table, model, prefix, clock = realClock } = options;
    this.#documents = DynamoDBDocumentClient.from(client);
    this.#ledger = ledger;
    this.#table = table;
    this.#model = model;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /**
   * Executes one action.
   * @throws DynamoDB's error, after which nobody knows whether the action took effect. A delete throws none: the ledger gets `unsure`
   */
  async act({ kind, item, ttl }: Omit<Action, 'atMs'>): Promise<void> {
    const key = this.#key(item);
    const id = idOf(key[this.#uniqueKey]);
    const current = this.#versions.get(item) ?? 0;
    if (kind === 'delete') {
      this.#ledger.deleted(id, current, await this.#delete(key, current));
      return;
    }
    if (kind === 'write') await this.#write(key, current + 1, ttl);
    else if (!(await this.#renew(key, current + 1, ttl))) return this.#ledger.tooLate(id);
    this.#wrote(item, current + 1, ttl, DEEDS[kind]);
  }

  /**
   * Writes items that were never written, as fast as DynamoDB takes them.
   * @throws DynamoDB's error, or if it leaves items of a batch out, as DynamoDB Local never does
   */
  async fill(items: readonly Pick<Action, 'item' | 'ttl'>[], signal: AbortSignal): Promise<void> {
    const { name } = this.#table;
    let next = 0;
    const writing = async () => {
      while (next < items.length && !signal.aborted) {
        const batch = items.slice(next, next + BATCH_ITEMS);
        next += BATCH_ITEMS;
        const requests = batch.map(({ item, ttl }) => ({
          PutRequest: { Item: this.#attributes(this.#key(item), 1, ttl) },
        }));
        const written = await this.#documents.send(
          new BatchWriteCommand({ RequestItems: { [name]: requests } }),
        );
        if (written.UnprocessedItems?.[name]) throw new Error('DynamoDB left items of a batch out');
        for (const { item, ttl } of batch) this.#wrote(item, 1, ttl, 'wrote');
      }
    };
    await Promise.all(Array.from({ length: BATCHES }, writing));
  }

  #wrote(item: Item, version: number, ttl: Ttl, deed: Deed): void {
    const key = this.#key(item);
    const shard = shardOf(key, this.#model, this.#model.shards);
    this.#ledger.wrote(idOf(key[this.#uniqueKey]), version, ttl, deed, shard);
    this.#versions.set(item, version);
  }

  async #write(key: Key, version: number, ttl: Ttl): Promise<void> {
    const Item = this.#attributes(key, version, ttl);
    await this.#documents.send(new PutCommand({ TableName: this.#table.name, Item }));
  }

  /** An item, with the attributes by which it expires. */
  #attributes(key: Key, version: number, ttl: Ttl) {
    const expiry = expiryAttributes(this.#model, key, this.#expiry(ttl));
    return { ...key, [VERSION]: version, [PAYLOAD_ATTRIBUTE]: PAYLOAD, ...expiry };
  }

  /**
   * Gives a session another TTL, or none.
   * @returns whether it was still there
   */
  #renew(Key: Key, version: number, ttl: Ttl): Promise<boolean> {
    const request = withExpiry(
      this.#model,
      {
        ...{ TableName: this.#table.name, Key },
        UpdateExpression: `SET ${VERSION} = :version`,
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#key': this.#model.partitionKey },
        ExpressionAttributeValues: { ':version': version },
      },
      this.#expiry(ttl),
    );
    return met(() => this.#documents.send(new UpdateCommand(request)));
  }

  /** Deletes one version of an item, never a later one. */
  async #delete(Key: Key, version: number): Promise<DeleteOutcome> {
    const request = {
      ...{ TableName: this.#table.name, Key },
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

  #key(item: Item): Key {
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

  #expiry(expiresAt: Ttl) {
    return expiresAt === undefined ? { ttlSeconds: 0 } : { expiresAt, nowMs: this.#clock.now() };
  }

  #value(attribute: string, text: string, number: number): string | number | Uint8Array {
    const type = this.#table.attributes[attribute];
    return type === 'N' ? number : type === 'B' ? Buffer.from(text) : text;
  }
}

type Key = Readonly<Record<string, string | number | Uint8Array>>;

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
