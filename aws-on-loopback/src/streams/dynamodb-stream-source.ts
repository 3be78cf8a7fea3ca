import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { ReadRecords, StreamedRecord, StreamShard, StreamSource } from './stream-source.ts';

/** Largest number of records of one call. Source: DynamoDB API reference, GetRecords. */
export const MAX_RECORDS = 1_000;

/** Sends a command and returns the answer as DynamoDB JSON; the SDK would convert it to objects. */
export type SendJson = <Answer>(client: DynamoDBStreamsClient, command: GetRecordsCommand) => Promise<Answer>;

/** Position from which a shard is read next. */
interface Place {
  readonly after: string | undefined;
  readonly iterator: string;
}

/** DynamoDB's JSON. Source: DynamoDB API reference, GetRecords. */
interface RecordsAnswer {
  readonly Records?: readonly RecordJson[];
  readonly NextShardIterator?: string;
}

type RecordJson = Omit<StreamedRecord['record'], 'dynamodb'> & {
  readonly dynamodb?: Omit<ChangeOf<StreamedRecord>, 'ApproximateCreationDateTime'> & {
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime?: number;
  };
};

type ChangeOf<Streamed extends StreamedRecord> = NonNullable<Streamed['record']['dynamodb']>;

/** A table's stream in DynamoDB Local, or in DynamoDB. */
export class DynamoDbStreamSource implements StreamSource {
  readonly #client: DynamoDBStreamsClient;
  readonly #streamArn: string;
  readonly #sendJson: SendJson;
  readonly #onTrimmed: (shardId: string, after: string) => void;
  readonly #places = new Map<string, Place>();

  /** @param onTrimmed told when records were lost: the stream no longer has what comes after a record that was read */
  constructor(
    client: DynamoDBStreamsClient,
    streamArn: string,
    sendJson: SendJson,
    onTrimmed: (shardId: string, after: string) => void = () => {},
  ) {
    this.#client = client;
    this.#streamArn = streamArn;
    this.#sendJson = sendJson;
    this.#onTrimmed = onTrimmed;
  }

  async shards(): Promise<readonly StreamShard[]> {
    const shards: StreamShard[] = [];
    let after: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({
          StreamArn: this.#streamArn,
          ...(after !== undefined && { ExclusiveStartShardId: after }),
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []).flatMap(toShard));
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after !== undefined);
    return shards;
  }

  async read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords> {
    const place = this.#places.get(shardId);
    // Remembered again only after a successful read.
    this.#places.delete(shardId);
    const isThere = place !== undefined && place.after === after;
    const output = isThere
      ? ((await this.#records(place.iterator, limit)) ??
        (await this.#records(await this.#begin(shardId, after), limit)))
      : await this.#records(await this.#begin(shardId, after), limit);
    const { Records = [], NextShardIterator: next } = output ?? {};
    const records = Records.flatMap(toStreamed);
    if (output !== undefined && next !== undefined) {
      this.#places.set(shardId, { after: records.at(-1)?.sequenceNumber ?? after, iterator: next });
    }
    return { records, isEnd: output !== undefined && next === undefined };
  }

  /**
   * Returns undefined when the iterator is invalid: it is older than 15 minutes, or DynamoDB Local refuses an iterator that it gave for an
   * empty shard once the shard has records (https://github.com/aws/aws-sdk-java/issues/2923).
   */
  async #records(iterator: string, limit: number): Promise<RecordsAnswer | undefined> {
    try {
      const command = new GetRecordsCommand({ ShardIterator: iterator, Limit: Math.min(limit, MAX_RECORDS) });
      return await this.#sendJson<RecordsAnswer>(this.#client, command);
    } catch (error) {
      if (error instanceof ExpiredIteratorException || error instanceof TrimmedDataAccessException)
        return undefined;
      throw error;
    }
  }

  async #begin(shardId: string, after: string | undefined): Promise<string> {
    if (after === undefined) return this.#iterator(shardId, undefined);
    try {
      return await this.#iterator(shardId, after);
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      this.#onTrimmed(shardId, after);
      return this.#iterator(shardId, undefined);
    }
  }

  async #iterator(ShardId: string, after: string | undefined): Promise<string> {
    const { ShardIterator = '' } = await this.#client.send(
      new GetShardIteratorCommand({
        StreamArn: this.#streamArn,
        ShardId,
        ...(after === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' as const }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after }),
      }),
    );
    return ShardIterator;
  }
}

function toStreamed({ dynamodb, ...record }: RecordJson): StreamedRecord[] {
  const { SequenceNumber: sequenceNumber, ApproximateCreationDateTime: seconds, ...change } = dynamodb ?? {};
  if (sequenceNumber === undefined) return [];
  const at = seconds !== undefined && { ApproximateCreationDateTime: new Date(seconds * 1000) };
  return [
    { sequenceNumber, record: { ...record, dynamodb: { ...change, SequenceNumber: sequenceNumber, ...at } } },
  ];
}

function toShard({ ShardId: id, ParentShardId: parentId, SequenceNumberRange: range }: Shard): StreamShard[] {
  if (id === undefined) return [];
  return [{ id, parentId, isOpen: range?.EndingSequenceNumber === undefined }];
}
