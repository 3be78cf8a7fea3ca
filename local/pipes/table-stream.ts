import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';
import { sendJson } from '../dynamodb/dynamodb-json.ts';

/** Largest number of records of one call. Source: DynamoDB API reference, GetRecords. */
export const MAX_RECORDS = 1_000;

/** A shard of a table's stream. */
export interface StreamShard {
  readonly id: string;
  /** The shard that it continues. The stream may no longer list it. */
  readonly parentId?: string | undefined;
}

export interface ReadRecords {
  /** With a time as the stream has it: DynamoDB Local rounds it down to the minute. */
  readonly records: readonly DynamoDbStreamRecord[];
  /** Whether these are the last records of a closed shard. */
  readonly isEnd: boolean;
}

/** A table's stream, as its reader needs it. */
export interface TableStream {
  shards(): Promise<readonly StreamShard[]>;
  /**
   * The next records of a shard, in order.
   *
   * @param after the sequence number of the last one that was read; undefined: from the shard's beginning
   * @param limit at most so many, up to {@link MAX_RECORDS}
   */
  read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords>;
}

/** Position from which a shard is read next. */
interface Place {
  readonly after: string | undefined;
  readonly iterator: string;
}

/** DynamoDB's JSON. Source: DynamoDB API reference, GetRecords. */
interface RecordsAnswer {
  readonly Records?: readonly (DynamoDbStreamRecord & {
    readonly userIdentity?: { readonly PrincipalId?: string; readonly Type?: string };
  })[];
  readonly NextShardIterator?: string;
}

/** A table's stream in DynamoDB Local. */
export class DynamoDbTableStream implements TableStream {
  readonly #client: DynamoDBStreamsClient;
  readonly #streamArn: string;
  readonly #onTrimmed: (shardId: string, after: string) => void;
  readonly #places = new Map<string, Place>();

  /** @param onTrimmed told when records were lost: the stream no longer has what comes after a record that was read */
  constructor(
    client: DynamoDBStreamsClient,
    streamArn: string,
    onTrimmed: (shardId: string, after: string) => void = () => {},
  ) {
    this.#client = client;
    this.#streamArn = streamArn;
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
      for (const { ShardId: id, ParentShardId: parentId } of StreamDescription?.Shards ?? [])
        if (id !== undefined) shards.push({ id, parentId });
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after !== undefined);
    return shards;
  }

  async read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords> {
    const place = this.#places.get(shardId);
    // Remembered again only after a successful read.
    this.#places.delete(shardId);
    const isThere = place !== undefined && place.after === after;
    const output =
      (isThere ? await this.#records(place.iterator, limit) : undefined) ??
      (await this.#records(await this.#begin(shardId, after), limit));
    const { Records = [], NextShardIterator: next } = output ?? {};
    const records = Records.map(record => this.#asPipesHaveIt(record));
    if (output !== undefined && next !== undefined) {
      this.#places.set(shardId, { after: records.at(-1)?.dynamodb.SequenceNumber ?? after, iterator: next });
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
      return await sendJson<RecordsAnswer>(this.#client, command);
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

  /** Lambda and Pipes write native TTL's mark in lower case. Source: DynamoDB Developer Guide. */
  #asPipesHaveIt({ dynamodb, userIdentity, ...record }: NonNullable<RecordsAnswer['Records']>[number]) {
    const { OldImage, NewImage, ...change } = dynamodb;
    return {
      ...record,
      eventSource: 'aws:dynamodb',
      eventSourceARN: this.#streamArn,
      dynamodb: {
        ...change,
        ...(OldImage && { OldImage: withTypes(OldImage) }),
        ...(NewImage && { NewImage: withTypes(NewImage) }),
      },
      ...(userIdentity && {
        userIdentity: { principalId: userIdentity.PrincipalId ?? '', type: userIdentity.Type ?? '' },
      }),
    };
  }
}

/**
 * Adds the types of an item's empty maps, which DynamoDB Local's streams leave out
 * (https://github.com/awslabs/amazon-dynamodb-local-samples/issues/37).
 */
function withTypes(item: EventImage): EventImage {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, withType(value)]));
}

function withType(value: EventValue): EventValue {
  if ('L' in value) return { L: value.L.map(withType) };
  if ('M' in value) return { M: withTypes(value.M) };
  return Object.keys(value).length === 0 ? { M: {} } : value;
}
