import type { EventImage } from '../../expiry/expiry-event.ts';
import type { StreamRecord } from '../../expiry/is-expiry.ts';

/** Maximum size of one event, and of the answer to one call, bytes: the limit of the target's batch call, less the pipe's own bytes. */
export interface Limits {
  readonly event: number;
  readonly call: number;
  /** Characters that the target refuses and that JSON does not escape. Sources: the API references of the calls. */
  readonly refused?: RegExp;
}

/** The targets take 256 KiB. Some regions and queues take more by now. */
const QUARTER_MIB: Limits = { event: 240_000, call: 240_000 };
const MESSAGES: Limits = { ...QUARTER_MIB, refused: /[\uFFFE\uFFFF]/ };
const RECORDS: Limits = { event: 1_000_000, call: 4_000_000 };

export const TARGET_LIMITS = {
  bus: QUARTER_MIB, // PutEvents
  queue: MESSAGES, // SendMessageBatch
  fifoQueue: MESSAGES,
  topic: MESSAGES, // PublishBatch
  stream: { ...RECORDS, call: 4_500_000 }, // PutRecords: 1 MiB a record, 5 MiB
  firehose: RECORDS, // PutRecordBatch: 1,000 KiB a record, 4 MiB
  archive: RECORDS,
  function: { event: 5_000_000, call: 5_000_000 }, // Invoke: 6 MB
  stateMachine: QUARTER_MIB, // StartExecution
} satisfies Record<string, Limits>;

export type TargetKind = keyof typeof TARGET_LIMITS;

export interface PipedRecord {
  readonly table: string;
  readonly ttlAttribute: string;
  readonly to: TargetKind;
  readonly oldImage: boolean;
  readonly record: DynamoDbStreamRecord;
}

/** Source: EventBridge User Guide, "DynamoDB stream as a source". `eventID` is the same at every delivery of the record. */
export interface DynamoDbStreamRecord extends StreamRecord {
  readonly eventID: string;
  readonly dynamodb: {
    readonly Keys: EventImage;
    readonly OldImage?: EventImage;
    readonly NewImage?: EventImage;
    /** A text of up to 40 digits. A later record of the shard has a higher number. */
    readonly SequenceNumber: string;
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
  };
}
