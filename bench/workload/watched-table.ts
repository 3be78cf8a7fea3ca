import { type AttributeValue, ConditionalCheckFailedException, paginateScan } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from 'stepfunctions-emulator';
import type { EventValue } from '../../expiry/expiry-event.ts';
import { type ExpiryModel, expiryAttributes, withExpiry } from '../../expiry/index.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { enableStream, type TableResource } from '../../local/dynamodb/tables.ts';
import { LocalCloudError } from '../../local/errors.ts';
import { StreamPoller } from '../../local/pipes/stream-poller.ts';
import { MAX_RECORDS, TableStream } from '../../local/pipes/table-stream.ts';
import type { Present, Ttl } from '../ledger/item.ts';
import { Ledger, type Violation } from '../ledger/ledger.ts';
import type { Action } from './plan.ts';

// With this payload an item has about 250 bytes.
const PAYLOAD = 'x'.repeat(150);
const USERS = 97;

// Attribute names that are unlikely to be keys of a configured table.
const VERSION = 'BenchVersion';
const PAYLOAD_ATTRIBUTE = 'BenchPayload';

/** Largest number of concurrent requests: enough for 1,000 writes a second at 20 ms each. */
const CONCURRENCY = 32;

export interface WatchedTableOptions {
  readonly cloud: Pick<LocalCloud, 'client' | 'dynamoDb'>;
  /** If the table has a stream, the stream must have old images. */
  readonly table: TableResource;
  readonly model: ExpiryModel;
  /** Prefix of each item's sort key or, without a sort key, of its partition key. A key that is a number gets no prefix. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Pause before the stream is read again, milliseconds. @default 100 */
  readonly intervalMs?: number | undefined;
  /** Whether the ledger (list of writes and deletions) keeps deleted items, for a comparison with the pipes' events. @default false */
  readonly keepsImages?: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Writes items to a swept table with the helpers of `expiry/`, and observes their deletion. Every item contains the number of its last
 * write, so the old image in the stream tells which version of the item was deleted.
 */
export class WatchedTable {
  readonly ledger: Ledger;
  readonly #options: WatchedTableOptions;
  readonly #documents: DynamoDBDocumentClient;
  readonly #versions = new Map<number, number>();
  /** Stops the observation after all earlier deletions were seen. A second call does nothing. */
  stop: () => Promise<void> = async () => {};

  /** The constructor does not observe deletions; {@link start} does. */
  constructor(options: WatchedTableOptions) {
    this.#options = options;
    this.#documents = DynamoDBDocumentClient.from(options.cloud.client);
    this.ledger = new Ledger(() => options.clock.now());
  }

  /**
   * Starts to observe the deletions in the table's stream. `seenAt` is the time of reading, because DynamoDB Local rounds the times in the
   * records to the minute.
   * @throws {LocalCloudError} for a stream without old images
   */
  static async start(options: WatchedTableOptions): Promise<WatchedTable> {
    const watched = new WatchedTable(options);
    const { cloud, table, clock, keepsImages, intervalMs = 100, onError } = options;
    const { name, stream: view = 'OLD_IMAGE' } = table;
    if (!/OLD/.test(view))
      throw new LocalCloudError(
        `table "${name}": expected a stream with old images to see deletions by, got ${view}; leave out its override`,
      );
    const streamArn = await clock.busy(() => enableStream(cloud.client, name));
    const streams = localDynamoDbStreams(cloud.dynamoDb.endpoint, table.region);
    const poller = await StreamPoller.open({
      stream: new TableStream(streams, streamArn),
      ...{ clock, batchSize: MAX_RECORDS, fromLatest: false, pollMs: intervalMs, onError },
      timeOf: approximateMs => approximateMs,
      async take(removals) {
        const seenAt = clock.now();
        for (const { eventID, dynamodb } of removals) {
          const { Keys: key, OldImage: image = {} } = dynamodb;
          const { id, version, ttl } = watched.read(image);
          const record = keepsImages && { record: { id: eventID, key, image } };
          watched.ledger.removed(id, version, { ttl, seenAt, ...record });
        }
      },
    });
    poller.start();
    watched.stop = async () => {
      await clock.busy(() => poller.drain()).catch(() => {});
      await poller.stop();
      streams.destroy();
    };
    return watched;
  }

  /**
   * Does each action at its `atMs`, but leaves out an action whose TTL has passed since then: a real application writes no such TTL.
   * @param actions the earliest action first
   */
  async write(actions: readonly Action[], signal: AbortSignal): Promise<void> {
    for (let next = 0; next < actions.length && !signal.aborted; ) {
      const now = this.#options.clock.now();
      const due = actions.slice(next, next + CONCURRENCY).filter(({ atMs }) => atMs <= now);
      const wait = (actions[next]?.atMs ?? now) - now;
      if (due.length === 0) await this.#options.clock.sleep(wait, signal).catch(() => {});
      next += due.length;
      const isTooLate = ({ atMs, ttl = Number.POSITIVE_INFINITY }: Action) =>
        ttl * 1000 > atMs && ttl * 1000 <= now;
      const perItem = Map.groupBy(
        due.filter(action => !isTooLate(action)),
        ({ item }) => item,
      );
      await this.#options.clock.busy(() =>
        Promise.all(
          [...perItem.values()].map(async those => {
            for (const action of those) await this.#act(action);
          }),
        ),
      );
    }
  }

  /** @throws DynamoDB's error; DynamoDB may have changed the item all the same */
  async #act({ how, item, ttl }: Action): Promise<void> {
    const key = this.#key(item);
    const version = (this.#versions.get(item) ?? 0) + 1;
    if (how === 'wrote') await this.#put(key, version, ttl);
    else if (!(await this.#renew(key, version, ttl))) return;
    this.ledger.wrote(idOf(key[this.#uniqueKey]), version, ttl, how);
    this.#versions.set(item, version);
  }

  async #put(key: Key, version: number, ttl: Ttl): Promise<void> {
    const expiry = expiryAttributes(this.#options.model, key, this.#expiry(ttl));
    const Item = { ...key, [VERSION]: version, [PAYLOAD_ATTRIBUTE]: PAYLOAD, ...expiry };
    await this.#documents.send(new PutCommand({ TableName: this.#options.table.name, Item }));
  }

  /**
   * Gives an item another TTL, or removes the TTL.
   * @returns whether the item was still in the table
   */
  async #renew(Key: Key, version: number, ttl: Ttl): Promise<boolean> {
    const { model, table } = this.#options;
    const request = withExpiry(
      model,
      {
        ...{ TableName: table.name, Key },
        UpdateExpression: `SET ${VERSION} = :version`,
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#key': model.partitionKey },
        ExpressionAttributeValues: { ':version': version },
      },
      this.#expiry(ttl),
    );
    try {
      await this.#documents.send(new UpdateCommand(request));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async verify(): Promise<Violation[]> {
    const present = await this.#options.clock.busy(() => this.#readAll());
    return this.ledger.verify(present, this.#options.clock.now());
  }

  async #readAll(): Promise<Map<string, Present>> {
    const { cloud, model, table } = this.#options;
    const names = { '#key': this.#uniqueKey, '#version': VERSION, '#ttl': model.ttlAttribute };
    const pages = paginateScan(
      { client: cloud.client },
      {
        ...{ TableName: table.name, ConsistentRead: true },
        ...{ ProjectionExpression: '#key, #version, #ttl', ExpressionAttributeNames: names },
      },
    );
    const present = new Map<string, Present>();
    for await (const { Items = [] } of pages)
      for (const item of Items) {
        const { id, ...found } = this.read(item);
        present.set(id, found);
      }
    return present;
  }

  /** @param item from the stream, where bytes are base64, or from a read */
  read(item: Readonly<Record<string, EventValue | AttributeValue>>): Present & { id: string } {
    const scalar = (name: string): Scalar => (item[name] ?? {}) as Scalar;
    const { S, N, B = '' } = scalar(this.#uniqueKey);
    const { N: ttl } = scalar(this.#options.model.ttlAttribute);
    return {
      id: S ?? N ?? (typeof B === 'string' ? Buffer.from(B, 'base64') : Buffer.from(B)).toString(),
      version: Number(scalar(VERSION).N),
      ttl: ttl === undefined ? undefined : Number(ttl),
    };
  }

  get #uniqueKey(): string {
    return this.#options.model.sortKey ?? this.#options.model.partitionKey;
  }

  #key(item: number): Key {
    const { partitionKey, sortKey } = this.#options.model;
    const name = `${this.#options.prefix}-${item}`;
    const user = item % USERS;
    return sortKey === undefined
      ? { [partitionKey]: this.#value(partitionKey, name, item) }
      : {
          [partitionKey]: this.#value(partitionKey, `user-${user}`, user),
          [sortKey]: this.#value(sortKey, name, item),
        };
  }

  #expiry(expiresAt: Ttl) {
    return expiresAt === undefined ? { ttlSeconds: 0 } : { expiresAt, nowMs: this.#options.clock.now() };
  }

  #value(attribute: string, text: string, number: number): string | number | Uint8Array {
    const type = this.#options.table.attributes[attribute];
    return type === 'N' ? number : type === 'B' ? Buffer.from(text) : text;
  }
}

type Key = Readonly<Record<string, string | number | Uint8Array>>;

type Scalar = { readonly S?: string; readonly N?: string; readonly B?: string | Uint8Array };

function idOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}
