import { checkpointsInMemory } from 'aws-on-loopback/streams/checkpoints';
import { readFilter } from 'aws-on-loopback/streams/mapping-settings';
import { ShardReader, type StreamEvent } from 'aws-on-loopback/streams/shard-reader';
import type { ReadRecords, StreamedRecord, StreamSource } from 'aws-on-loopback/streams/stream-source';
import type { Clock } from 'stepfunctions-emulator';
import type { ItemImage } from '../../functions/stream/event.ts';
import type { Functions } from './functions.ts';
import type { Change } from './table.ts';

const SHARDS = ['shard-0', 'shard-1'] as const;

/** Sequence numbers are as long as those of AWS: as doubles, two neighbours would be equal. */
const FIRST_SEQUENCE_NUMBER = 40_000_000_000_000_000_000_000n;

/** A table's stream, in memory. Its records contain the second of their change, by the clock of the server that made them. */
export class MemoryStream implements StreamSource {
  readonly #records = new Map<string, StreamedRecord[]>(SHARDS.map(id => [id, []]));
  readonly #keyNames: readonly string[];

  constructor(keyNames: readonly string[]) {
    this.#keyNames = keyNames;
  }

  add({ key, recordedAt, eventId, before, after }: Change): void {
    const shard = SHARDS[key.charCodeAt(Math.floor(key.length / 2)) % SHARDS.length] ?? SHARDS[0];
    const records = this.#records.get(shard) ?? [];
    const sequenceNumber = String(FIRST_SEQUENCE_NUMBER + BigInt(records.length));
    const image = after ?? before ?? {};
    const Keys = Object.fromEntries(this.#keyNames.map(name => [name, image[name]])) as ItemImage;
    const record: StreamedRecord['record'] = {
      eventID: eventId,
      eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
      dynamodb: {
        ApproximateCreationDateTime: new Date(Math.floor(recordedAt / 1000) * 1000),
        Keys,
        ...(before && { OldImage: before }),
        ...(after && { NewImage: after }),
        SequenceNumber: sequenceNumber,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    };
    records.push({ sequenceNumber, record });
  }

  async shards() {
    return SHARDS.map(id => ({ id, isOpen: true }));
  }

  async read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords> {
    const from = after === undefined ? 0 : Number(BigInt(after) - FIRST_SEQUENCE_NUMBER) + 1;
    return { records: (this.#records.get(shardId) ?? []).slice(from, from + limit), isEnd: false };
  }
}

export interface ReaderOptions {
  /** The name of the function's file. */
  readonly name: string;
  readonly stream: MemoryStream;
  readonly filter: string;
  readonly functions: Functions;
  readonly clock: Clock;
}

/** The event source mapping of a function, as Lambda runs it. */
export class StreamReaders {
  readonly #readers: readonly ShardReader[];
  readonly #clock: Clock;
  readonly #stop = new AbortController();

  constructor({ name, stream, filter, functions, clock }: ReaderOptions) {
    this.#clock = clock;
    this.#readers = SHARDS.map(
      shardId =>
        new ShardReader({
          shardId,
          source: stream,
          origin: {
            streamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/fuzz/stream/1',
            region: 'us-east-1',
          },
          settings: {
            batchSize: 1000,
            batchingWindowSeconds: 5,
            filters: [readFilter(filter)],
            reportsItemFailures: true,
            bisects: true,
          },
          checkpoints: checkpointsInMemory(),
          clock,
          timeOf: (at, readAt) => at?.getTime() ?? readAt,
          // Converted to JSON and back, as Lambda does.
          invoke: (event: StreamEvent) => functions.call(name, JSON.parse(JSON.stringify(event))),
          discard: async () => undefined,
        }),
    );
  }

  /** Runs until it is stopped. */
  async run(): Promise<void> {
    await Promise.all(
      this.#readers.map(async reader => {
        while (!this.#stop.signal.aborted) {
          await reader.step(this.#stop.signal);
          await this.#clock.sleep(1_000);
        }
      }),
    );
  }

  stop(): void {
    this.#stop.abort();
  }
}
