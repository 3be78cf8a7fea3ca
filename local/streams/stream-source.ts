import type { _Record } from '@aws-sdk/client-dynamodb-streams';

/** A shard of a table's stream. */
export interface StreamShard {
  readonly id: string;
  /** The shard that it continues. It may not be there any more. */
  readonly parentId?: string | undefined;
  /** Whether records may still be added to it. */
  readonly isOpen: boolean;
}

/** A record as the stream has it. */
export interface StreamedRecord {
  readonly sequenceNumber: string;
  readonly record: _Record;
}

export interface ReadRecords {
  readonly records: readonly StreamedRecord[];
  /** Nothing comes after these: the shard is closed, and they are its last ones. */
  readonly isEnd: boolean;
}

/** A table's stream, as far as somebody reads it. */
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
