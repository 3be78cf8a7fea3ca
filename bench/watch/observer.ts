import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, realClock } from 'stepfunctions-emulator';
import type { EventImage } from '../../expiry/expiry-event.ts';
import { localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { DynamoDbLocalError } from '../../local/errors.ts';
import { StreamPoller } from '../../local/pipes/stream-poller.ts';
import { DynamoDbTableStream, MAX_RECORDS, type TableStream } from '../../local/pipes/table-stream.ts';
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
  /** Called when the stream cannot be read. */
  readonly onError: (error: unknown) => void;
  /** Pause between two reads, milliseconds; deletions are seen late by up to this. @default 100 */
  readonly intervalMs?: number | undefined;
  /** @default the wall clock */
  readonly clock?: Clock;
  /** Called for an answer of DynamoDB, epoch milliseconds. */
  readonly onAnswer?: ((span: Span) => void) | undefined;
}

/**
 * Observes deletions in the table's stream, and so independently of the sweep's own reports. It does not use the stream's times: DynamoDB
 * Local rounds them to the minute.
 */
export class StreamObserver {
  readonly #clock: Clock;
  readonly #streams: ReturnType<typeof localDynamoDbStreams>;
  readonly #poller: StreamPoller;

  private constructor(clock: Clock, streams: ReturnType<typeof localDynamoDbStreams>, poller: StreamPoller) {
    this.#clock = clock;
    this.#streams = streams;
    this.#poller = poller;
  }

  /**
   * Begins to observe a table.
   * @throws {DynamoDbLocalError} when the table has no stream with old images
   */
  static async start(options: ObserverOptions): Promise<StreamObserver> {
    const { tableName, client, endpoint, region, clock = realClock, intervalMs = 100 } = options;
    const { Table } = await clock.busy(() => client.send(new DescribeTableCommand({ TableName: tableName })));
    const view = Table?.StreamSpecification?.StreamViewType;
    if (!Table?.LatestStreamArn || (view !== 'OLD_IMAGE' && view !== 'NEW_AND_OLD_IMAGES')) {
      throw new DynamoDbLocalError(
        `table "${tableName}": expected a stream with old images to see deletions by, got ${view ?? 'none'}; ` +
          "start the local cloud with observe: true, or change the view type of the table's own stream",
      );
    }
    const streams = localDynamoDbStreams(endpoint, region);
    const poller = await StreamPoller.open({
      stream: answering(new DynamoDbTableStream(streams, Table.LatestStreamArn), clock, options.onAnswer),
      ...{ clock, batchSize: MAX_RECORDS, fromLatest: false, pollMs: intervalMs },
      timeOf: approximateMs => approximateMs,
      onError: options.onError,
      async take(removals) {
        const seenAt = clock.now();
        for (const { eventID: id, dynamodb } of removals)
          if (dynamodb.OldImage !== undefined)
            options.onRemoval({ id, key: dynamodb.Keys, image: dynamodb.OldImage }, seenAt);
      },
    });
    poller.start();
    return new StreamObserver(clock, streams, poller);
  }

  /** Stops after all earlier deletions were seen. Safe to call more than once. */
  async stop(): Promise<void> {
    // Who observes has been told of the error.
    await this.#clock.busy(() => this.#poller.drain()).catch(() => {});
    await this.#poller.stop();
    this.#streams.destroy();
  }
}

/** A stream that tells how long its answers take. */
function answering(
  stream: TableStream,
  clock: Clock,
  onAnswer: (span: Span) => void = () => {},
): TableStream {
  return {
    shards: () => stream.shards(),
    async read(...position) {
      const from = clock.now();
      const answer = await stream.read(...position);
      onAnswer({ from, to: clock.now() });
      return answer;
    },
  };
}
