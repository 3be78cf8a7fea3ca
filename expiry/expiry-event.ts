/**
 * The event of an expiry, for the prop `events`: the `detail` of an EventBridge event, the body of an SQS message, or an element of
 * `events` in a function's input.
 */
export interface ExpiryEvent {
  /** A unique id that is the same at every delivery of the event. */
  readonly id: string;
  /** The table's name. */
  readonly table: string;
  /** The item's primary key, in DynamoDB JSON: `{ "id": { "S": "a" } }`. */
  readonly key: EventImage;
  /** The item's TTL as an ISO time; null if native TTL deleted an item by another attribute. */
  readonly expiredAt: string | null;
  /** The time of the deletion, an ISO time. Streams round it down to the second. */
  readonly deletedAt: string;
  /** The item before its deletion, in DynamoDB JSON. Only with `oldImage: true`. */
  readonly oldImage?: EventImage;
  /** Set if the image was left out because the event with it was too large for its destination. */
  readonly oldImageOmitted?: true;
}

/** Attributes in DynamoDB JSON. */
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
