import type { DynamoDbStreamRecord, ItemImage } from '../../functions/stream/event.ts';

export interface MadeRecord {
  /** Its place in the shard, from 1 on. */
  readonly place: number;
  readonly item: ItemImage;
  /** Epoch seconds. */
  readonly at: number;
  readonly eventName?: string;
}

/** A record as Lambda gives it, of a table whose partition key is `id`. */
export function streamRecord({ place, item, at, eventName = 'REMOVE' }: MadeRecord): DynamoDbStreamRecord {
  return {
    eventID: `event-${place}`,
    eventName,
    eventSourceARN:
      'arn:aws:dynamodb:us-east-1:123456789012:table/SessionData/stream/2026-11-20T09:00:00.000',
    dynamodb: {
      ApproximateCreationDateTime: at,
      Keys: { id: item['id'] as { readonly S: string } },
      OldImage: item,
      // As long as those of AWS: no double tells two neighbours apart.
      SequenceNumber: `${40_000_000_000_000_000_000_000n + BigInt(place)}`,
    },
  };
}
