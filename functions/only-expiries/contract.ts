import type { EventImage } from '../../expiry/expiry-event.ts';
import type { StreamRecord } from '../../expiry/is-expiry.ts';

/** Maximum bytes of JSON, below the target API's limits: `event` for one event, `call` for all events that OnlyExpiries returns at once. */
export interface Limits {
  readonly event: number;
  readonly call: number;
  /** The target refuses messages with these characters, but `JSON.stringify` does not escape them. Source: SQS and SNS API references. */
  readonly refused?: RegExp;
}

/** For targets that accept at least 256 KiB in one request. */
const QUARTER_MIB: Limits = { event: 240_000, call: 240_000 };
const MESSAGES: Limits = { ...QUARTER_MIB, refused: /[\uFFFE\uFFFF]/ };
const RECORDS: Limits = { event: 1_000_000, call: 4_000_000 };

export const TARGET_LIMITS = {
  bus: QUARTER_MIB, // PutEvents
  queue: MESSAGES, // SendMessageBatch
  fifoQueue: MESSAGES,
  topic: MESSAGES, // PublishBatch
  stream: { ...RECORDS, call: 4_500_000 }, // PutRecords: 1 MiB a record, 5 MiB a call
  firehose: RECORDS, // PutRecordBatch: 1,000 KiB a record, 4 MiB a call
  archive: RECORDS,
  function: { event: 5_000_000, call: 5_000_000 }, // Invoke: 6 MB a call
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

/** If a pipe delivers a record again, `eventID` is the same. Source: EventBridge User Guide, "DynamoDB stream as a source". */
export interface DynamoDbStreamRecord extends StreamRecord {
  readonly eventID: string;
  readonly dynamodb: {
    readonly Keys: EventImage;
    readonly OldImage?: EventImage;
    readonly NewImage?: EventImage;
    /** A number of up to 40 digits. A later record of the same stream shard has a higher number. */
    readonly SequenceNumber: string;
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
  };
}
