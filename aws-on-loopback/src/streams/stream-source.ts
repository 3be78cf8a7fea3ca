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
