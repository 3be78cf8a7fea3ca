import type { Clock } from 'stepfunctions-emulator';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';
import type { StreamShard, TableStream } from './table-stream.ts';

export interface StreamPollerOptions {
  readonly stream: Pick<TableStream, 'shards' | 'read'>;
  readonly batchSize: number;
  readonly fromLatest: boolean;
  readonly clock: Clock;
  readonly timeOf: RecordTime;
  /** Receives a batch's deletions. If `take` rejects, it gets the batch again in halves. A record that is rejected alone is read again. */
  readonly take: (removals: readonly DynamoDbStreamRecord[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Pause after all records were read, milliseconds. @default 250 */
  readonly pollMs?: number | undefined;
}

/**
 * Calculates when a record was made, epoch milliseconds.
 * @param approximateMs time in the stream's record
 * @param firstReadAtMs time of the record's first read
 */
export type RecordTime = (approximateMs: number, firstReadAtMs: number) => number;

const POLL_MS = 250;
const MAX_BACKOFF_MS = 30_000;
/** Interval between two listings of the shards, milliseconds. When a shard ends, the shards are listed at once. */
const LIST_SHARDS_MS = 10_000;

/** Reads a table's stream as a pipe does. A failed batch is tried again in halves, so that a bad record delays only later records. */
export class StreamPoller {
  readonly #options: StreamPollerOptions;
  readonly #stopping = new AbortController();
  readonly #shards = new Map<string, Shard>();
  /** Times at which unfinished records were first read, by sequence number; epoch milliseconds. */
  readonly #readAt = new Map<string, number>();
  #listAt = 0;
  #last: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> | undefined;

  private constructor(options: StreamPollerOptions) {
    this.#options = options;
  }

  static async open(options: StreamPollerOptions): Promise<StreamPoller> {
    const poller = new StreamPoller(options);
    if (options.fromLatest) await poller.#passOver();
    return poller;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.#last;
  }

  /** Reads all records that are in the stream now. @throws the first error, after all shards were tried */
  drain(): Promise<void> {
    const drained = this.#last.then(() => this.#drain());
    this.#last = drained.catch(() => {});
    return drained;
  }

  async #run(): Promise<void> {
    const { clock, pollMs = POLL_MS, onError } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await clock.busy(() => this.drain());
        failures = 0;
      } catch (error) {
        if (failures === 0 && !signal.aborted) onError(error);
        failures += 1;
      }
      const pause = failures === 0 ? pollMs : Math.min(POLL_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
      await clock.sleep(pause, signal).catch(() => {}); // `sleep` rejects when the poller is stopped.
    }
  }

  async #drain(): Promise<void> {
    const errors: unknown[] = [];
    for (let hasEnded = true; hasEnded && !this.#stopping.signal.aborted; ) {
      hasEnded = false;
      for (const shard of await this.#list()) {
        if (!this.#isReady(shard)) continue;
        try {
          await this.#drainShard(shard);
          hasEnded ||= shard.isEnd;
        } catch (error) {
          errors.push(error);
        }
      }
      if (hasEnded) this.#listAt = 0;
    }
    if (errors.length > 0) throw errors[0];
  }

  async #list(): Promise<readonly Shard[]> {
    const { stream, clock } = this.#options;
    if (clock.now() >= this.#listAt) {
      for (const shard of await stream.shards())
        if (!this.#shards.has(shard.id))
          this.#shards.set(shard.id, { ...shard, after: undefined, isEnd: false });
      this.#listAt = clock.now() + LIST_SHARDS_MS;
    }
    return [...this.#shards.values()];
  }

  #isReady({ isEnd, parentId = '' }: Shard): boolean {
    return !isEnd && this.#shards.get(parentId)?.isEnd !== false;
  }

  async #drainShard(shard: Shard): Promise<void> {
    const { stream, batchSize } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const { records, isEnd } = await stream.read(shard.id, shard.after, batchSize);
      await this.#take(
        shard,
        records.map(record => this.#timed(record)),
      );
      shard.isEnd = isEnd;
      if (isEnd || records.length === 0) return;
    }
  }

  async #take(shard: Shard, batch: readonly DynamoDbStreamRecord[]): Promise<void> {
    const removals = batch.filter(({ eventName }) => eventName === 'REMOVE');
    try {
      if (removals.length > 0) await this.#options.take(removals);
    } catch (error) {
      if (batch.length === 1 || this.#stopping.signal.aborted) throw error;
      const middle = Math.ceil(batch.length / 2);
      await this.#take(shard, batch.slice(0, middle));
      return this.#take(shard, batch.slice(middle));
    }
    for (const { dynamodb } of batch) this.#readAt.delete(dynamodb.SequenceNumber);
    shard.after = batch.at(-1)?.dynamodb.SequenceNumber ?? shard.after;
  }

  /** Gives a record the time from `timeOf`. If its batch fails, the record is read again, and must get the same time. */
  #timed(record: DynamoDbStreamRecord): DynamoDbStreamRecord {
    const { SequenceNumber, ApproximateCreationDateTime } = record.dynamodb;
    const readAt = this.#readAt.get(SequenceNumber) ?? this.#options.clock.now();
    this.#readAt.set(SequenceNumber, readAt);
    const madeAt = Math.floor(this.#options.timeOf(ApproximateCreationDateTime * 1000, readAt) / 1000);
    return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: madeAt } };
  }

  /**
   * Skips the existing records by reading them. An iterator of type LATEST could expire before the first new record, and new records would
   * be lost.
   */
  async #passOver(): Promise<void> {
    for (const shard of await this.#list()) {
      for (let isLast = false; !isLast; ) {
        const { records, isEnd } = await this.#options.stream.read(shard.id, shard.after, 1_000);
        shard.after = records.at(-1)?.dynamodb.SequenceNumber ?? shard.after;
        shard.isEnd = isEnd;
        isLast = isEnd || records.length === 0;
      }
    }
  }
}

interface Shard extends StreamShard {
  after: string | undefined;
  isEnd: boolean;
}
