import { type AttributeValue, DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { DynamoDbLocalError } from 'aws-on-loopback/errors';
import { type Clock, realClock } from 'stepfunctions-emulator';
import type { Span } from './machine.ts';

export interface ObserverOptions {
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly tableName: string;
  /** Called for every deletion, for some twice: with the old item, and the time at which its deletion was seen (epoch milliseconds). */
  readonly onRemoval: (
    image: Readonly<Record<string, AttributeValue>>,
    seenAt: number,
    /** The id of the stream's record. */
    recordId: string,
  ) => void;
  /** Called once when the stream cannot be read any more. */
  readonly onError: (error: unknown) => void;
  /** Pause between two reads, milliseconds; deletions are seen late by up to this. @default 100 */
  readonly intervalMs?: number;
  /** @default the wall clock */
  readonly clock?: Clock;
  /** Called for an answer of DynamoDB, epoch milliseconds. */
  readonly onAnswer?: (span: Span) => void;
}

/** Number of reads between two lists of shards; DynamoDB Local begins a new shard only every few hours. */
const READS_BETWEEN_SHARD_LISTS = 50;

/**
 * Observes deletions in the table's stream, and so independently of the sweep's own reports. It does not use the stream's times: DynamoDB
 * Local rounds them to the minute.
 */
export class StreamObserver {
  readonly #options: ObserverOptions;
  readonly #clock: Clock;
  readonly #streamArn: string;
  /** Iterator for the next read, by shard; `undefined` when a shard has ended. */
  readonly #iterators = new Map<string, string | undefined>();
  readonly #running: Promise<void>;
  #stopping = false;
  #reads = 0;

  private constructor(options: ObserverOptions, streamArn: string) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#streamArn = streamArn;
    this.#running = this.#run();
  }

  /**
   * Begins to observe a table.
   * @throws {DynamoDbLocalError} when the table has no stream with old images
   */
  static async start(options: ObserverOptions): Promise<StreamObserver> {
    const { tableName, client, clock = realClock } = options;
    const { Table } = await clock.busy(() => client.send(new DescribeTableCommand({ TableName: tableName })));
    const view = Table?.StreamSpecification?.StreamViewType;
    if (!Table?.LatestStreamArn || (view !== 'OLD_IMAGE' && view !== 'NEW_AND_OLD_IMAGES')) {
      throw new DynamoDbLocalError(
        `table "${tableName}": expected a stream with old images to see deletions by, got ${view ?? 'none'}; ` +
          "start the local cloud with observe: true, or change the view type of the table's own stream",
      );
    }
    return new StreamObserver(options, Table.LatestStreamArn);
  }

  /** Stops after all earlier deletions were seen. Safe to call more than once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        // The last read begins after the stop was requested, so it sees all earlier records.
        const last = this.#stopping;
        await this.#clock.busy(() => this.#readStream());
        if (last) return;
        await this.#clock.sleep(this.#options.intervalMs ?? 100);
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #readStream(): Promise<void> {
    if (this.#reads++ % READS_BETWEEN_SHARD_LISTS === 0 || this.#stopping) await this.#listShards();
    for (const [shard, iterator] of this.#iterators) {
      if (iterator !== undefined) this.#iterators.set(shard, await this.#read(shard, iterator));
    }
  }

  /**
   * Continues to read a shard. DynamoDB Local may refuse an iterator that it gave for an empty shard once the shard has records
   * (https://github.com/aws/aws-sdk-java/issues/2923); then the shard is read from its beginning, where nothing is trimmed yet.
   */
  async #read(shard: string, iterator: string): Promise<string | undefined> {
    try {
      return await this.#drain(iterator);
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      const anew = await this.#begin(shard);
      return anew === undefined ? undefined : this.#drain(anew);
    }
  }

  /** Returns an iterator for the beginning of a shard. */
  async #begin(shard: string): Promise<string | undefined> {
    const { ShardIterator } = await this.#options.streams.send(
      new GetShardIteratorCommand({
        StreamArn: this.#streamArn,
        ShardId: shard,
        ShardIteratorType: 'TRIM_HORIZON',
      }),
    );
    return ShardIterator;
  }

  async #listShards(): Promise<void> {
    const { streams } = this.#options;
    let after: string | undefined;
    do {
      const { StreamDescription } = await streams.send(
        new DescribeStreamCommand({
          StreamArn: this.#streamArn,
          ...(after ? { ExclusiveStartShardId: after } : {}),
        }),
      );
      for (const { ShardId } of StreamDescription?.Shards ?? []) {
        if (ShardId === undefined || this.#iterators.has(ShardId)) continue;
        this.#iterators.set(ShardId, await this.#begin(ShardId));
      }
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
  }

  /** Reads a shard until it has no new records. */
  async #drain(iterator: string): Promise<string | undefined> {
    let next: string | undefined = iterator;
    while (next !== undefined) {
      const from = this.#clock.now();
      const { Records = [], NextShardIterator }: GetRecordsCommandOutput = await this.#options.streams.send(
        new GetRecordsCommand({ ShardIterator: next }),
      );
      const seenAt = this.#clock.now();
      this.#options.onAnswer?.({ from, to: seenAt });
      for (const { eventID = '', eventName, dynamodb } of Records) {
        if (eventName === 'REMOVE' && dynamodb?.OldImage)
          this.#options.onRemoval(dynamodb.OldImage, seenAt, eventID);
      }
      next = NextShardIterator;
      if (Records.length === 0) break;
    }
    return next;
  }
}
