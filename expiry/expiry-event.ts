/**
 * The deletion of an expired item, as the `detail` of an EventBridge event, the body of an SQS or SNS message, the data of a Kinesis
 * record, or a line of an archive. Functions and state machines get an array of ExpiryEvents.
 */
export interface ExpiryEvent {
  /** A unique id. If an event is delivered twice, both deliveries have the same id. */
  readonly id: string;
  readonly table: string;
  /** The item's primary key, in DynamoDB JSON: `{ "id": { "S": "a" } }`. */
  readonly key: EventImage;
  /** A hash of the key, the same for all events of an item: the FIFO queue's message group, the Kinesis stream's partition key. */
  readonly group: string;
  /** The item's TTL, ISO-8601; null if the item has no valid TTL, e.g. if native TTL deleted it by another attribute. */
  readonly expiredAt: string | null;
  /** The time of the deletion, ISO-8601, rounded down to the second by DynamoDB Streams. */
  readonly deletedAt: string;
  /** The item before its deletion, in DynamoDB JSON. Present only in an archive, or if `events` has `oldImage: true`. */
  readonly oldImage?: EventImage;
  /** Set instead of `oldImage` if the event or its batch is too large for the target, or if the target refuses a character of the image. */
  readonly oldImageOmitted?: true;
  /** Replaces `oldImage` in an archive if the image is too large for a Firehose record: the JSON, compressed with gzip, in base64. */
  readonly oldImageGzip?: string;
}

export type EventImage = Readonly<Record<string, EventValue>>;

/** A value in DynamoDB JSON. A number is a string, because a JavaScript number would lose digits. Bytes are base64. */
export type EventValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly M: EventImage }
  | { readonly L: readonly EventValue[] }
  | { readonly NULL: boolean }
  | { readonly BOOL: boolean };
