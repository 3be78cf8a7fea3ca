import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { ItemImage } from '../../functions/stream/event.ts';
import type { ShardCheckpoint } from '../../local/streams/checkpoints.ts';
import { DynamoDbStreamSource, MAX_RECORDS } from '../../local/streams/dynamodb-stream-source.ts';
import { toLambdaRecord } from '../../local/streams/lambda-record.ts';
import type { RecordedRemoval } from './archive-verdict.ts';
import { type Life, lifeOf } from './life.ts';

export interface RecorderOptions {
  readonly streams: DynamoDBStreamsClient;
  /** As DynamoDB Local calls it. */
  readonly streamArn: string;
  /** Names of the key attributes. */
  readonly keyNames: readonly string[];
  readonly ttlAttribute: string;
  /** The stream has lost records, or cannot be read. */
  readonly onError: (error: unknown) => void;
}

/** How far a shard was read, and the sequence numbers of its removals. */
interface Place {
  after: string | undefined;
  isEnd: boolean;
  readonly removals: bigint[];
}

const PAUSE_MS = 50;
const READS_BETWEEN_SHARD_LISTS = 50;
/** The recorder looks at images only. */
const ORIGIN = { streamArn: '', region: '' };

/**
 * Reads a table's stream without a pause, and keeps when each removal was read. DynamoDB Local rounds the times of its records down to
 * the minute, and whoever was dead reads them late. This one is never killed.
 */
export class StreamRecorder {
  readonly removals: RecordedRemoval[] = [];
  readonly #options: RecorderOptions;
  readonly #source: DynamoDbStreamSource;
  readonly #times = new Map<string, number>();
  readonly #shards = new Map<string, Place>();
  readonly #running: Promise<void>;
  #stopping = false;
  #rounds = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#source = new DynamoDbStreamSource(options.streams, options.streamArn, (shardId, after) =>
      options.onError(new Error(`${shardId}: records after ${after} are lost`)),
    );
    this.#running = this.#run();
  }

  /** When these removals were read, epoch milliseconds; resolves when they all were. */
  async times(shardId: string, sequenceNumbers: readonly string[]): Promise<number[]> {
    for (;;) {
      const times = sequenceNumbers.flatMap(each => this.#times.get(`${shardId} ${each}`) ?? []);
      if (times.length === sequenceNumbers.length) return times;
      await sleep(PAUSE_MS);
    }
  }

  /** How many removals come after what somebody else has done, by the shard's checkpoint. */
  waiting(checkpointOf: (shardId: string) => ShardCheckpoint | undefined): number {
    let waiting = 0;
    for (const [shardId, { removals }] of this.#shards) {
      const { after, isEnd } = checkpointOf(shardId) ?? {};
      if (isEnd) continue;
      const done = after === undefined ? -1n : BigInt(after);
      waiting += removals.filter(each => each > done).length;
    }
    return waiting;
  }

  /** Resolves when everything that has happened up to now was read. */
  async caughtUp(): Promise<void> {
    // The round that is under way may have passed a shard already.
    const wanted = this.#rounds + 2;
    while (this.#rounds < wanted && !this.#stopping) await sleep(PAUSE_MS);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      for (let reads = 0; !this.#stopping; reads += 1) {
        if (reads % READS_BETWEEN_SHARD_LISTS === 0) await this.#list();
        for (const shardId of this.#shards.keys()) await this.#read(shardId);
        this.#rounds += 1;
        await sleep(PAUSE_MS);
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #list(): Promise<void> {
    for (const { id } of await this.#source.shards()) {
      if (!this.#shards.has(id)) this.#shards.set(id, { after: undefined, isEnd: false, removals: [] });
    }
  }

  /** Reads a shard until it has nothing new. */
  async #read(shardId: string): Promise<void> {
    const place = this.#shards.get(shardId);
    while (place !== undefined && !place.isEnd && !this.#stopping) {
      const { records, isEnd } = await this.#source.read(shardId, place.after, MAX_RECORDS);
      const atMs = Date.now();
      for (const { sequenceNumber, record } of records) {
        if (record.eventName !== 'REMOVE') continue;
        const { dynamodb } = toLambdaRecord({ sequenceNumber, record }, ORIGIN, atMs);
        place.removals.push(BigInt(sequenceNumber));
        this.#times.set(`${shardId} ${sequenceNumber}`, atMs);
        this.removals.push({ life: this.#life(dynamodb.OldImage), sequenceNumber, atMs });
      }
      place.after = records.at(-1)?.sequenceNumber ?? place.after;
      place.isEnd = isEnd;
      if (records.length === 0) return;
    }
  }

  #life(image: unknown): Life {
    const { keyNames, ttlAttribute } = this.#options;
    return lifeOf((image ?? {}) as ItemImage, keyNames, ttlAttribute);
  }
}
