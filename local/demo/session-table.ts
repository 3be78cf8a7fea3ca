import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type ExpiryModel, expiryAttributes, withExpiry } from '../../expiry/index.ts';
import { NotFoundError } from '../errors.ts';
import type { SynthesizedCloud, TableResource } from '../terraform.ts';
import type { Ttl } from './ledger.ts';

// Items of about 250 bytes.
const PAYLOAD = 'x'.repeat(120);
const USERS = 97;

/** Gives the attributes by which an item expires at a TTL. */
export type Stamp = (key: Readonly<Record<string, unknown>>, ttl: number) => Record<string, number | string>;

/** Sessions in a swept table, written as an application writes them: through the helpers of `expiry/`. */
export class SessionTable {
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: TableResource;
  readonly #model: ExpiryModel;
  /** Sets this run's items apart from others in the table. */
  readonly #run: string;
  readonly #stamp: Stamp;

  /** @param stamp how {@link write} stamps what expires, @default as the model says */
  constructor(client: DynamoDBClient, table: TableResource, model: ExpiryModel, run: string, stamp?: Stamp) {
    this.#documents = DynamoDBDocumentClient.from(client);
    this.#table = table;
    this.#model = model;
    this.#run = run;
    this.#stamp = stamp ?? ((key, expiresAt) => expiryAttributes(model, key, { expiresAt }));
  }

  async write(item: number, ttl: Ttl): Promise<void> {
    const key = this.#key(item);
    const expiry =
      ttl === undefined ? expiryAttributes(this.#model, key, { ttlSeconds: 0 }) : this.#stamp(key, ttl);
    await this.#documents.send(
      new PutCommand({
        TableName: this.#table.name,
        Item: { ...key, CreatedAt: new Date().toISOString(), Payload: PAYLOAD, ...expiry },
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
        ExpressionAttributeValues: { ':now': new Date().toISOString() },
      },
      ttl === undefined ? { ttlSeconds: 0 } : { expiresAt: ttl },
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

  /** Sort keys are unique in a run; without one the partition key has to be. */
  get #uniqueKey(): string {
    return this.#model.sortKey ?? this.#model.partitionKey;
  }

  #key(item: number): Record<string, string | number | Uint8Array> {
    const { partitionKey, sortKey } = this.#model;
    const unique = [
      `session-${this.#run}-${item}`,
      Number(`${Number.parseInt(this.#run, 36)}`) * 1e7 + item,
    ] as const;
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
 * A table of what was synthesized, whether the stack makes it or it was there before. Of the latter only the key names
 * are known; its keys are taken for strings.
 *
 * @throws {NotFoundError}
 */
export function tableOf(
  { tables, existingTables }: SynthesizedCloud,
  name: string,
  model: ExpiryModel,
): TableResource {
  const table = tables.find(candidate => candidate.name === name);
  if (table) return table;
  const existing = existingTables.find(candidate => candidate.name === name);
  if (existing === undefined) throw new NotFoundError(`table: expected "${name}" in what was synthesized`);
  return {
    ...existing,
    arn: '',
    hashKey: model.partitionKey,
    ...(model.sortKey ? { rangeKey: model.sortKey } : {}),
    attributes: {},
    globalIndexes: [],
    localIndexes: [],
  };
}
