import { shardOf } from '../../expiry/shard.ts';

/** Write units a second of one partition key. Source: DynamoDB Developer Guide, "Burst and adaptive capacity". */
export const KEY_UNITS = 1000;

/** How the shards of a window share its writes. */
export interface Share {
  /** Items of the fullest shard in its fullest second. */
  readonly fullest: number;
  /** Share of all items that come beyond a shard's units, 0 to 1. */
  readonly throttled: number;
}

/** Writes `peak` items a second into windows of so many shards, each with a key of its own, through the real `shardOf`. */
export function shareOf({ peak, shards, seconds }: { peak: number; shards: number; seconds: number }): Share {
  let fullest = 0;
  let throttled = 0;
  for (let second = 0; second < seconds; second += 1) {
    const items = new Array<number>(shards).fill(0);
    for (let item = 0; item < peak; item += 1) {
      const shard = shardOf({ id: `session-${second * peak + item}` }, { partitionKey: 'id' }, shards);
      items[shard] = (items[shard] ?? 0) + 1;
    }
    fullest = Math.max(fullest, ...items);
    throttled += items.reduce((sum, count) => sum + Math.max(0, count - KEY_UNITS), 0);
  }
  return { fullest, throttled: throttled / (peak * seconds) };
}
