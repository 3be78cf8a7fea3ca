import {
  type AttributeValue,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { RandomSource } from 'stepfunctions-emulator';
import { type ExpiryModel, expiryAttributes } from '../../expiry/index.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { sendJson } from '../../functions/table/dynamodb-json.ts';
import type { Books } from './books.ts';
import { lifeOf } from './life.ts';
import { variedAttributes } from './varied-item.ts';

export interface UsersOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly model: ExpiryModel;
  readonly books: Books;
  readonly random: RandomSource;
}

type SdkItem = Record<string, AttributeValue>;

/** Says which write an item is of, so that a user never deletes or renews another one. */
const VERSION = 'LabVersion';
const MOST_IN_BATCH = 25;
const BATCHES_AT_ONCE = 6;

/** An application's users: they write items of all types, delete some and renew some, and keep books. */
export class Users {
  readonly #options: UsersOptions;
  readonly #versions = new Map<string, number>();

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  /** @param ttls epoch seconds by the item's id */
  async writeAll(ttls: ReadonlyMap<string, number>): Promise<void> {
    const left = [...ttls];
    const write = async () => {
      for (
        let batch = left.splice(0, MOST_IN_BATCH);
        batch.length > 0;
        batch = left.splice(0, MOST_IN_BATCH)
      ) {
        await this.#writeBatch(batch);
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, write));
  }

  /** Writes an item that is not there. */
  async write(id: string, ttl: number): Promise<void> {
    await this.#writeBatch([[id, ttl]]);
  }

  /** Deletes an item, unless the sweep was first. */
  async delete(id: string): Promise<void> {
    const { client, tableName: TableName, books } = this.#options;
    const sentAt = Date.now();
    const condition = this.#stillHasVersion(id);
    const isDone = await met(() =>
      client.send(new DeleteItemCommand({ TableName, Key: keyOf(id), ...condition })),
    );
    if (isDone) books.deleted(id, { sentAt, answeredAt: Date.now() });
    else books.swept(id);
  }

  /** Writes an item with another TTL and other attributes, unless the sweep was first. */
  async renew(id: string, ttl: number): Promise<void> {
    const { client, tableName: TableName, books } = this.#options;
    const condition = this.#stillHasVersion(id);
    const item = this.#item(id, ttl);
    const put = { TableName, Item: item as SdkItem, ...condition };
    const isDone = await met(() => sendJson(client, new PutItemCommand(put)));
    if (isDone) this.#note(id, item, ttl);
    else books.swept(id);
  }

  /** Ids of the lives that are in the table. */
  async alive(): Promise<Set<string>> {
    const { client, tableName: TableName, model } = this.#options;
    const alive = new Set<string>();
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      for (const item of Items) alive.add(lifeOf(item as ItemImage, KEY_NAMES, model.ttlAttribute).id);
    }
    return alive;
  }

  async #writeBatch(batch: readonly (readonly [string, number])[]): Promise<void> {
    const { client, tableName } = this.#options;
    const items = batch.map(([id, ttl]) => ({ id, ttl, item: this.#item(id, ttl) }));
    const requests = items.map(({ item }) => ({ PutRequest: { Item: item as SdkItem } }));
    await sendJson(client, new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
    for (const { id, item, ttl } of items) this.#note(id, item, ttl);
  }

  #note(id: string, item: ItemImage, ttl: number): void {
    const { books, model } = this.#options;
    books.written(id, lifeOf(item, KEY_NAMES, model.ttlAttribute), ttl);
  }

  /** In DynamoDB's JSON. */
  #item(id: string, ttl: number): ItemImage {
    const { model, random } = this.#options;
    const version = (this.#versions.get(id) ?? 0) + 1;
    this.#versions.set(id, version);
    const stamped = Object.entries(expiryAttributes(model, nativeKeyOf(id), { expiresAt: ttl }));
    return {
      ...keyOf(id),
      [VERSION]: { N: String(version) },
      ...Object.fromEntries(
        stamped.map(([name, value]) => [
          name,
          typeof value === 'number' ? { N: String(value) } : { S: value },
        ]),
      ),
      ...variedAttributes(random),
    };
  }

  #stillHasVersion(id: string) {
    return {
      ConditionExpression: `${VERSION} = :version`,
      ExpressionAttributeValues: { ':version': { N: String(this.#versions.get(id)) } },
    };
  }
}

/** The key of the tables that are measured. */
export const KEY_NAMES = ['user', 'number'] as const;
const USERS = 97;

/** `17` is the item of user 17 % 97 with the number 17. */
function nativeKeyOf(id: string) {
  return { user: `user-${Number(id) % USERS}`, number: Number(id) };
}

function keyOf(id: string): { user: { S: string }; number: { N: string } } {
  const { user, number } = nativeKeyOf(id);
  return { user: { S: user }, number: { N: String(number) } };
}

/** @returns false when the condition of a request was not met */
async function met(send: () => Promise<unknown>): Promise<boolean> {
  try {
    await send();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
