/**
 * An expiry as an event of the prop `events`: the `detail` of an EventBridge event, the body of an SQS message, or an element of `events`
 * in what a function is called with.
 */
export interface ExpiryEvent {
  /** The same however often the event is delivered, and no other expiry's. */
  readonly id: string;
  /** The table's name. */
  readonly table: string;
  /** The item's primary key, in DynamoDB JSON: `{ "id": { "S": "a" } }`. */
  readonly key: EventImage;
  /** The item's TTL as an ISO time; null where native TTL deleted an item by another attribute. */
  readonly expiredAt: string | null;
  /** When the item was deleted, an ISO time. Streams say it to the second, rounded down. */
  readonly deletedAt: string;
  /** The item as it was, in DynamoDB JSON. Only with `oldImage: true`. */
  readonly oldImage?: EventImage;
  /** There should be an image, but with it the event was larger than its destination takes. */
  readonly oldImageOmitted?: true;
}

/** Attributes in DynamoDB JSON. */
export type EventImage = Readonly<Record<string, EventValue>>;

/** A value in DynamoDB JSON. A number is text, because a double would lose digits; bytes are base64. */
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
