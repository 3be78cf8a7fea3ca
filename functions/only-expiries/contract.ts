import type { EventImage } from '../../expiry/expiry-event.ts';
import type { StreamRecord } from '../../expiry/stream-record.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';

/** Most bytes of one event, and of the answer to one call: below the limits of the target's batch call by what a pipe adds to it. */
export interface Limits {
  readonly event: number;
  readonly call: number;
  /** Characters that the target refuses and that JSON does not escape. */
  readonly refused?: RegExp;
}

/** PutEvents, SendMessageBatch, PublishBatch and StartExecution: 256 KiB, also where a region or a queue takes more by now. */
const QUARTER_MIB: Limits = { event: 240_000, call: 240_000 };
const MESSAGES: Limits = { ...QUARTER_MIB, refused: /[\uFFFE\uFFFF]/ };

/**
 * What a pipe delivers to. Sources: the API references of PutEvents, SendMessageBatch, PublishBatch, PutRecords (1 MiB a record, 5 MiB),
 * PutRecordBatch (1,000 KiB a record, 4 MiB), Invoke (6 MB) and StartExecution.
 */
export const TARGET_LIMITS = {
  bus: QUARTER_MIB,
  queue: MESSAGES,
  fifoQueue: MESSAGES,
  topic: MESSAGES,
  stream: { event: 1_000_000, call: 4_500_000 },
  firehose: { event: 1_000_000, call: 4_000_000 },
  archive: { event: 1_000_000, call: 4_000_000 },
  function: { event: 5_000_000, call: 5_000_000 },
  stateMachine: QUARTER_MIB,
} satisfies Record<string, Limits>;

export type TargetKind = keyof typeof TARGET_LIMITS;

/** A record of a table's stream, with what the pipe's input template knows of its table and target. */
export interface PipedRecord {
  readonly table: string;
  readonly ttlAttribute: string;
  readonly to: TargetKind;
  /** Whether events contain the item. */
  readonly oldImage: boolean;
  readonly record: DynamoDbStreamRecord;
}

/** A record of DynamoDB Streams as Pipes and Lambda give it. Source: EventBridge User Guide, "DynamoDB stream as a source". */
export interface DynamoDbStreamRecord extends StreamRecord {
  /** A unique id that is the same at every delivery of the record. */
  readonly eventID: string;
  readonly dynamodb: {
    readonly Keys: ItemKey;
    /** Missing in streams without old images. */
    readonly OldImage?: EventImage;
    readonly NewImage?: EventImage;
    /** Up to 40 digits. A later record of the shard has a higher number. */
    readonly SequenceNumber: string;
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
  };
}
