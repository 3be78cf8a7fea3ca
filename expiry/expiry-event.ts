/**
 * The event of an expiry, for the prop `events`: the `detail` of an EventBridge event, the body of an SQS message, the data of a Kinesis
 * record, or an element of the array that is a function's or a state machine's input. Each line of an archive is such an event.
 */
export interface ExpiryEvent {
  /** A unique id that is the same at every delivery of the event. */
  readonly id: string;
  readonly table: string;
  /** The item's primary key, in DynamoDB JSON: `{ "id": { "S": "a" } }`. */
  readonly key: EventImage;
  /** A hash of the key, the same for all events of an item: the FIFO queue's message group, the Kinesis stream's partition key. */
  readonly group: string;
  /** The item's TTL as an ISO time; null if native TTL deleted an item by another attribute. */
  readonly expiredAt: string | null;
  /** The time of the deletion, an ISO time, rounded down to the second by the stream. */
  readonly deletedAt: string;
  /** The item before its deletion, in DynamoDB JSON. Only with `oldImage: true`, and in an archive. */
  readonly oldImage?: EventImage;
  /** Set if the image was left out: with the image, the target would refuse the event because of its size or a character. */
  readonly oldImageOmitted?: true;
  /** The image of an archived item that is too large for a record of Firehose: its JSON, compressed with gzip, in base64. */
  readonly oldImageGzip?: string;
}

export type EventImage = Readonly<Record<string, EventValue>>;

/** A value in DynamoDB JSON. A number is a string, because a double would lose digits; bytes are base64. */
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
