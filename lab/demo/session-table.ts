import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Clock, realClock } from 'stepfunctions-emulator';
import { type ExpiryModel, expiryAttributes, withExpiry } from '../../expiry/index.ts';
import { shardOf } from '../../expiry/shard.ts';
import { NotFoundError } from '../../local/errors.ts';
import type { SynthesizedCloud, TableResource } from '../../local/terraform/synthesized.ts';
import type { Ttl } from './ledger.ts';

// Items of about 250 bytes.
const PAYLOAD = 'x'.repeat(120);
const USERS = 97;

/** Gives the attributes by which an item expires at a TTL. */
export type Stamp = (key: Readonly<Record<string, unknown>>, ttl: number) => Record<string, number | string>;

export interface SessionTableOptions {
  readonly table: TableResource;
  readonly model: ExpiryModel;
  /**
   * Sets this run's items apart from others in the table, unless their keys are numbers. Two tables of the same run have
   * the same items.
   */
  readonly run: string;
  /** How what expires is stamped. @default as the model says */
  readonly stamp?: Stamp;
  /** @default the wall clock */
  readonly clock?: Clock;
}

/** Sessions in a swept table, written as an application writes them: through the helpers of `expiry/`. */
export class SessionTable {
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: TableResource;
  readonly #model: ExpiryModel;
  readonly #run: string;
  readonly #stamp: Stamp;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, options: SessionTableOptions) {
    const { table, model, run, stamp, clock = realClock } = options;
    this.#documents = DynamoDBDocumentClient.from(client);
    this.#table = table;
    this.#model = model;
    this.#run = run;
    this.#clock = clock;
    this.#stamp =
      stamp ?? ((key, expiresAt) => expiryAttributes(model, key, { expiresAt, nowMs: clock.now() }));
  }

  async write(item: number, ttl: Ttl): Promise<void> {
    const key = this.#key(item);
    const expiry =
      ttl === undefined ? expiryAttributes(this.#model, key, { ttlSeconds: 0 }) : this.#stamp(key, ttl);
    await this.#documents.send(
      new PutCommand({
        TableName: this.#table.name,
        Item: { ...key, CreatedAt: this.#time(), Payload: PAYLOAD, ...expiry },
      }),
    );
  }

  /**
   * Gives a session another TTL, or none, unless it is gone.
   *
   * @returns whether it was still there
   */
  async renew(item: number, ttl: Ttl): Promise<boolean> {
    const request = withExpiry(
      this.#model,
      {
        TableName: this.#table.name,
        Key: this.#key(item),
        UpdateExpression: 'SET RenewedAt = :now',
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#key': this.#model.partitionKey },
        ExpressionAttributeValues: { ':now': this.#time() },
      },
      ttl === undefined ? { ttlSeconds: 0 } : { expiresAt: ttl, nowMs: this.#clock.now() },
    );
    try {
      await this.#documents.send(new UpdateCommand(request));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** TTL by id of every item of this run, read consistently. */
  async readAll(): Promise<Map<string, Ttl>> {
    const present = new Map<string, Ttl>();
    let startKey: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#documents.send(
        new ScanCommand({
          TableName: this.#table.name,
          ConsistentRead: true,
          ...(startKey ? { ExclusiveStartKey: startKey } : {}),
        }),
      );
      for (const item of Items) {
        const ttl: unknown = item[this.#model.ttlAttribute];
        present.set(idOf(item[this.#uniqueKey]), typeof ttl === 'number' ? ttl : undefined);
      }
      startKey = LastEvaluatedKey;
    } while (startKey);
    return present;
  }

  /** The shard of the window that an item is in. */
  shard(item: number): number {
    return shardOf(this.#key(item), this.#model, this.#model.shards);
  }

  /** The id that an item of this run has in the ledger. */
  id(item: number): string {
    return idOf(this.#key(item)[this.#uniqueKey]);
  }

  /** The id and TTL of an item as DynamoDB's JSON has it. */
  read(image: Readonly<Record<string, AttributeValue>>): { id: string; ttl: Ttl } {
    const key = image[this.#uniqueKey];
    const ttl = image[this.#model.ttlAttribute]?.N;
    return { id: idOf(key?.S ?? key?.N ?? key?.B), ttl: ttl === undefined ? undefined : Number(ttl) };
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  /** Sort keys are unique in a run; without one the partition key has to be. */
  get #uniqueKey(): string {
    return this.#model.sortKey ?? this.#model.partitionKey;
  }

  #key(item: number): Record<string, string | number | Uint8Array> {
    const { partitionKey, sortKey } = this.#model;
    // A number has no room for the run within the digits that are safe in JavaScript.
    const unique = [`session-${this.#run}-${item}`, item] as const;
    const user = item % USERS;
    return sortKey === undefined
      ? { [partitionKey]: this.#value(partitionKey, ...unique) }
      : {
          [partitionKey]: this.#value(partitionKey, `user-${user}`, user),
          [sortKey]: this.#value(sortKey, ...unique),
        };
  }

  #value(attribute: string, text: string, number: number): string | number | Uint8Array {
    const type = this.#table.attributes[attribute];
    return type === 'N' ? number : type === 'B' ? Buffer.from(text) : text;
  }
}

function idOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

/**
 * A table that what was synthesized makes.
 *
 * @throws {NotFoundError}
 */
export function tableOf({ tables }: Pick<SynthesizedCloud, 'tables'>, name: string): TableResource {
  const table = tables.find(candidate => candidate.name === name);
  if (table === undefined) {
    throw new NotFoundError(
      `table: expected "${name}" in what was synthesized, got ${tables.map(other => other.name).join(', ') || 'none'}`,
    );
  }
  return table;
}
