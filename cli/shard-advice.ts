import type { ShardAdvice } from '../expiry/partition-rule.ts';

/** Settings with which the index can take its writes, e.g. `shards: 328, and an index that is warm for 84,000 write units a second`. */
export function describeAdvice({ shards, warmUnits }: Pick<ShardAdvice, 'shards' | 'warmUnits'>): string {
  const warm = `an index that is warm for ${warmUnits.toLocaleString('en-US')} write units a second`;
  return shards === undefined
    ? `an index by window, which has shards, or more tables`
    : `shards: ${shards}, and ${warm}`;
}
