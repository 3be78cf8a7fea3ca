import type { EventImage } from '../../expiry/expiry-event.ts';
import type { KeyNames } from '../../expiry/shard.ts';
import type { DynamoDbStreamRecord } from '../../functions/only-expiries/contract.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';

export interface MadeRecord {
  /** Its place in the shard, from 1 on. */
  readonly place: number;
  readonly item: EventImage;
  /** Epoch seconds. */
  readonly at: number;
  readonly eventName?: string;
}

/** A record as Lambda gives it. @param names the attributes of the table's key */
export function streamRecord(
  { place, item, at, eventName = 'REMOVE' }: MadeRecord,
  names: KeyNames = { partitionKey: 'id' },
): DynamoDbStreamRecord {
  const key = keyAttributeNames(names).map(name => [name, item[name]] as const);
  return {
    eventID: `event-${place}`,
    eventName,
    dynamodb: {
      ApproximateCreationDateTime: at,
      Keys: Object.fromEntries(key) as ItemKey,
      OldImage: item,
      // As long as those of AWS: no double tells two neighbours apart.
      SequenceNumber: `${40_000_000_000_000_000_000_000n + BigInt(place)}`,
    },
  };
}
