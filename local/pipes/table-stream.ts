import {
  type _Record,
  type AttributeValue,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { EventImage, EventValue } from '../../expiry/expiry-event.ts';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';

/** Largest number of records of one call. Source: DynamoDB API reference, GetRecords. */
export const MAX_RECORDS = 1_000;

export interface StreamShard {
  readonly id: string;
  /** Id of the shard before this shard. The stream may no longer list that earlier shard. */
  readonly parentId?: string | undefined;
}

interface ReadRecords {
  readonly records: readonly DynamoDbStreamRecord[];
  readonly isEnd: boolean;
}

/** A table's stream in DynamoDB Local. Each read asks for a new iterator, because a kept iterator may have expired. */
export class TableStream {
  readonly #client: DynamoDBStreamsClient;
  readonly #streamArn: string;

  constructor(client: DynamoDBStreamsClient, streamArn: string) {
    this.#client = client;
    this.#streamArn = streamArn;
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

  /**
   * @param after sequence number of the record before the first to read; undefined: from the shard's beginning
   * @param limit maximum number of records; more than {@link MAX_RECORDS} are never read
   */
  async read(ShardId: string, after: string | undefined, limit: number): Promise<ReadRecords> {
    const place = { StreamArn: this.#streamArn, ShardId };
    const beginning = new GetShardIteratorCommand({ ...place, ShardIteratorType: 'TRIM_HORIZON' });
    const { ShardIterator } = await (after === undefined
      ? this.#client.send(beginning)
      : this.#client
          .send(
            new GetShardIteratorCommand({
              ...place,
              ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
              SequenceNumber: after,
            }),
          )
          .catch(error => {
            // The record `after` is gone, because a stream keeps a record for a day. Reading continues at the oldest record.
            if (error instanceof TrimmedDataAccessException) return this.#client.send(beginning);
            throw error;
          }));
    try {
      const { Records = [], NextShardIterator } = await this.#client.send(
        new GetRecordsCommand({ ShardIterator, Limit: Math.min(limit, MAX_RECORDS) }),
      );
      return {
        records: Records.map(record => this.#asPipesHaveIt(record)),
        isEnd: NextShardIterator === undefined,
      };
    } catch (error) {
      // DynamoDB Local refuses an iterator that is older than the shard's first record: https://github.com/aws/aws-sdk-java/issues/2923
      if (error instanceof TrimmedDataAccessException) return { records: [], isEnd: false };
      throw error;
    }
  }

  /** Converts a record to the JSON that Lambda and Pipes receive, e.g. `PrincipalId` to `principalId`. Source: DynamoDB Developer Guide. */
  #asPipesHaveIt({
    eventID = '',
    eventName = 'MODIFY',
    dynamodb = {},
    userIdentity,
  }: _Record): DynamoDbStreamRecord {
    const {
      Keys = {},
      OldImage,
      NewImage,
      SequenceNumber = '',
      ApproximateCreationDateTime: time,
    } = dynamodb;
    return {
      ...{ eventID, eventName, eventSource: 'aws:dynamodb', eventSourceARN: this.#streamArn },
      dynamodb: {
        Keys: inJson(Keys),
        SequenceNumber,
        ApproximateCreationDateTime: Number(time) / 1_000,
        ...(dynamodb.StreamViewType && { StreamViewType: dynamodb.StreamViewType }),
        ...(OldImage && { OldImage: inJson(OldImage) }),
        ...(NewImage && { NewImage: inJson(NewImage) }),
      },
      ...(userIdentity && {
        userIdentity: { principalId: userIdentity.PrincipalId ?? '', type: userIdentity.Type ?? '' },
      }),
    };
  }
}

const inJson = (item: Readonly<Record<string, AttributeValue>>): EventImage =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, valueInJson(value)]));

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/**
 * An attribute value as in Lambda's events. For an empty map, DynamoDB Local's streams leave out the type
 * (https://github.com/awslabs/amazon-dynamodb-local-samples/issues/37).
 */
function valueInJson(value: AttributeValue): EventValue {
  if (value.B) return { B: base64(value.B) };
  if (value.BS) return { BS: value.BS.map(base64) };
  if (value.L) return { L: value.L.map(valueInJson) };
  if (value.M) return { M: inJson(value.M) };
  return Object.keys(value).length === 0 ? { M: {} } : (value as EventValue);
}
