import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, realClock } from 'stepfunctions-emulator';
import type { EventImage } from '../../expiry/expiry-event.ts';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { DynamoDbLocalError } from '../../local/errors.ts';
import { DynamoDbTableStream, MAX_RECORDS } from '../../local/pipes/table-stream.ts';
import type { Span } from './machine.ts';

/** A deletion in the table's stream. */
export interface SeenDeletion {
  /** The id of the stream's record. */
  readonly id: string;
  readonly key: EventImage;
  /** The item before its deletion. */
  readonly image: EventImage;
}

export interface ObserverOptions {
  readonly client: DynamoDBClient;
  /** Endpoint of the table and its stream. */
  readonly endpoint: string;
  readonly region: string;
  readonly tableName: string;
  /** Called for every deletion, with the time at which it was seen (epoch milliseconds). */
  readonly onRemoval: (seen: SeenDeletion, seenAt: number) => void;
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
  readonly #streams: ReturnType<typeof localDynamoDbStreams>;
  readonly #stream: DynamoDbTableStream;
  /** Sequence number of the last record that was read, by shard; undefined before the first. */
  readonly #readTo = new Map<string, string | undefined>();
  readonly #running: Promise<void>;
  #stopping = false;
  #reads = 0;

  private constructor(options: ObserverOptions, streamArn: string) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#streams = localDynamoDbStreams(options.endpoint, options.region);
    this.#stream = new DynamoDbTableStream(this.#streams, streamArn);
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
    this.#streams.destroy();
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
    if (this.#reads++ % READS_BETWEEN_SHARD_LISTS === 0 || this.#stopping) {
      for (const { id } of await this.#stream.shards()) this.#readTo.set(id, this.#readTo.get(id));
    }
    for (const shard of this.#readTo.keys()) await this.#drain(shard);
  }

  /** Reads a shard until it has no new records. */
  async #drain(shard: string): Promise<void> {
    const { onAnswer, onRemoval } = this.#options;
    for (;;) {
      const from = this.#clock.now();
      const { records } = await this.#stream.read(shard, this.#readTo.get(shard), MAX_RECORDS);
      const seenAt = this.#clock.now();
      onAnswer?.({ from, to: seenAt });
      for (const { eventID: id, eventName, dynamodb } of records) {
        this.#readTo.set(shard, dynamodb.SequenceNumber);
        if (eventName !== 'REMOVE' || dynamodb.OldImage === undefined) continue;
        onRemoval({ id, key: dynamodb.Keys, image: dynamodb.OldImage }, seenAt);
      }
      if (records.length === 0) return;
    }
  }
}
