import { InvalidArgumentError } from '../../expiry/errors.ts';
import { isObject } from '../../expiry/fields.ts';
import type { StreamRecord } from '../../expiry/stream-record.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';

/**
 * The event with which Lambda calls a function for records of a DynamoDB stream. Source: Lambda Developer Guide, "Using AWS Lambda with
 * Amazon DynamoDB". It does not name the shard; all records of one event come from one shard, in its order.
 */
export interface DynamoDbStreamEvent {
  readonly Records: readonly DynamoDbStreamRecord[];
}

export interface DynamoDbStreamRecord extends StreamRecord {
  /** A unique id that is the same at every delivery of the record. */
  readonly eventID: string;
  readonly eventSourceARN?: string;
  readonly dynamodb: {
    readonly Keys: ItemKey;
    /** Missing in streams without old images. */
    readonly OldImage?: ItemImage;
    readonly NewImage?: ItemImage;
    /** Up to 40 digits. A later record of the shard has a higher number. */
    readonly SequenceNumber: string;
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime: number;
  };
}

/** An item, or its key, in DynamoDB JSON. */
export type ItemImage = Readonly<Record<string, ImageValue>>;

/** One attribute's value, with bytes in base64. */
export type ImageValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] }
  | { readonly M: ItemImage }
  | { readonly L: readonly ImageValue[] }
  | { readonly NULL: boolean }
  | { readonly BOOL: boolean };

/**
 * The records of an event, in the order of their shard.
 * @throws InvalidArgumentError for anything but an event of a stream, such as a handwritten one
 */
export function recordsOf(event: DynamoDbStreamEvent): readonly DynamoDbStreamRecord[] {
  const given: unknown = event;
  if (isObject(given) && Array.isArray(given['Records'])) return given['Records'];
  throw new InvalidArgumentError({
    field: 'Records',
    expected: "a list of the stream's records, as Lambda gives it",
    got: isObject(given) ? given['Records'] : given,
    remedy: 'Let an event source mapping of the stream call this function.',
  });
}
