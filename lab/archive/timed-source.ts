import type { ReadRecords, StreamShard, StreamSource } from '../../local/streams/stream-source.ts';

/** When removals were recorded, epoch milliseconds, in the order of their sequence numbers. */
export type RecordedTimes = (
  shardId: string,
  sequenceNumbers: readonly string[],
) => Promise<readonly number[]>;

const MINUTE_MS = 60_000;

/** A stream whose removals have the times at which somebody else read them, who was not dead meanwhile. */
export class TimedSource implements StreamSource {
  readonly #source: StreamSource;
  readonly #times: RecordedTimes;

  constructor(source: StreamSource, times: RecordedTimes) {
    this.#source = source;
    this.#times = times;
  }

  shards(): Promise<readonly StreamShard[]> {
    return this.#source.shards();
  }

  async read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords> {
    const { records, isEnd } = await this.#source.read(shardId, after, limit);
    const removals = records.filter(({ record }) => record.eventName === 'REMOVE');
    const times = await this.#times(
      shardId,
      removals.map(({ sequenceNumber }) => sequenceNumber),
    );
    const timeOf = new Map(removals.map((removal, index) => [removal, times[index]]));
    return {
      isEnd,
      records: records.map(streamed => {
        const at = timeOf.get(streamed);
        if (at === undefined) return streamed;
        // A full minute would be taken for one of DynamoDB Local's rounded times.
        const ApproximateCreationDateTime = new Date(at % MINUTE_MS === 0 ? at + 1 : at);
        const { record } = streamed;
        return {
          ...streamed,
          record: { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime } },
        };
      }),
    };
  }
}
