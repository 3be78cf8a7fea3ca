import type { _Record, StreamRecord } from '@aws-sdk/client-dynamodb-streams';

/** A shard of a table's stream. */
export interface StreamShard {
  readonly id: string;
  /** The shard that it continues. The stream may no longer list it. */
  readonly parentId?: string | undefined;
  /** Whether records may still be added to the shard. */
  readonly isOpen: boolean;
}

/** An item, or its key, in DynamoDB's JSON. */
export type ItemImage = Readonly<Record<string, ImageValue>>;

/** Value of an attribute by its type, such as `{ N: '1' }`. Only lists and maps are read further. */
export type ImageValue = {
  readonly S?: string | undefined;
  readonly L?: readonly ImageValue[] | undefined;
  readonly M?: ItemImage | undefined;
} & { readonly [Type in 'N' | 'B' | 'SS' | 'NS' | 'BS' | 'NULL' | 'BOOL']?: unknown };

/** A record as the stream has it, with its items as DynamoDB's JSON. */
export interface StreamedRecord {
  readonly sequenceNumber: string;
  readonly record: Omit<_Record, 'dynamodb'> & {
    readonly dynamodb?: Omit<StreamRecord, Image> & { readonly [Name in Image]?: ItemImage };
  };
}

type Image = 'Keys' | 'OldImage' | 'NewImage';

export interface ReadRecords {
  readonly records: readonly StreamedRecord[];
  /** Whether these are the last records of a closed shard. */
  readonly isEnd: boolean;
}

/** A table's stream, as its reader needs it. */
export interface StreamSource {
  shards(): Promise<readonly StreamShard[]>;
  /**
   * The next records of a shard, in order.
   *
   * @param after the sequence number of the last one that was read; undefined: from the shard's beginning
   * @param limit at most so many, up to 1,000
   */
  read(shardId: string, after: string | undefined, limit: number): Promise<ReadRecords>;
}

/**
 * Calculates when a record was made, epoch milliseconds.
 * @param approximate as the stream gives it
 * @param firstReadAtMs when it was first read, by the clock of the local cloud
 */
export type RecordTime = (approximate: Date | undefined, firstReadAtMs: number) => number;

const MINUTE_MS = 60_000;

/**
 * Calculates the time of a record on the machine's clock. DynamoDB Local rounds it down to the minute, but an expiry is recognized by the
 * second. So the result is the time at which the record was first read, or the end of that minute when that is earlier. A time with
 * seconds is used as it is.
 */
export const machineRecordTime: RecordTime = (approximate, firstReadAtMs) => {
  const time = approximate?.getTime();
  if (time === undefined) return firstReadAtMs;
  if (time % MINUTE_MS !== 0) return time;
  return Math.max(time, Math.min(firstReadAtMs, time + MINUTE_MS - 1));
};

/**
 * Uses the time of the first read, for a clock that DynamoDB Local does not have, as in tests. A time with seconds, which DynamoDB Local
 * never gives, is used as it is.
 */
export const virtualRecordTime: RecordTime = (approximate, firstReadAtMs) => {
  const time = approximate?.getTime();
  return time !== undefined && time % MINUTE_MS !== 0 ? time : firstReadAtMs;
};
