import { type IndexedBy, MAX_SHARDS } from '../expiry/model.ts';
import { PARTITION_UNITS } from '../expiry/window.ts';

/*
 * How many shards a window needs. Too many writes to one partition of the index make the sweep late and throttle the users' own puts.
 */

/** Warm throughput of a new on-demand table or index, write units per second. Source: DynamoDB Developer Guide, "Warm throughput". */
export const NEW_TABLE_UNITS = 4000;

/** Write units per second for which one partition is enough. Less than PARTITION_UNITS, because a load is uneven. */
const FITS_ONE_PARTITION = 800;

/** A partition must have room for a load of this many standard deviations above the average. */
const DEVIATIONS = 3;

/** The load takes at most this share of the advised warm throughput. At this share, a key may have 100 units per second. */
const FULL_SHARE = 0.4;

export interface IndexLoad {
  readonly indexedBy: IndexedBy;
  readonly granularityMinutes: number;
  readonly shards: number;
  /** Index entries that are put per second; as many are deleted. A new TTL of an item puts an entry, and deletes the old entry. */
  readonly perSecond: number;
  readonly warmUnits?: number | undefined;
}

interface ShardAdvice {
  /**
   * `holds`: items are deleted in time. `late`: some partitions get too many writes for that. `impossible`: one key gets more writes than
   * DynamoDB allows.
   */
  readonly verdict: 'holds' | 'late' | 'impossible';
  /** The smallest number of shards that gives `holds`, on an index with `warmUnits`. Undefined: no allowed number does. */
  readonly shards: number | undefined;
  /** Warm throughput that the index should have, write units per second; at least the `warmUnits` of the load. */
  readonly warmUnits: number;
}

/** Advises shards for a load. Compared with the real sweep on a simulated index: lab/experiments/partitions.ts in commit cd567234. */
export function adviseShards(load: IndexLoad): ShardAdvice {
  const { indexedBy, granularityMinutes, shards, perSecond, warmUnits: warm = NEW_TABLE_UNITS } = load;
  const units = 2 * perSecond;
  // Most items live longer than a minute, so an index key of a second or a minute seldom gets puts and deletes at the same time.
  const ofWindow = indexedBy === 'window' && granularityMinutes > 1 ? units : perSecond;
  const ofKey = ofWindow / (indexedBy === 'second' ? 1 : shards);
  const holds = ofKey <= mostOfKey(units, warm);
  const wanted = Math.max(warm, Math.ceil(units / FULL_SHARE / PARTITION_UNITS) * PARTITION_UNITS);
  const fewest = Math.max(1, Math.ceil(ofWindow / mostOfKey(units, wanted)));
  return {
    verdict: holds ? 'holds' : ofKey > PARTITION_UNITS ? 'impossible' : 'late',
    shards: fewest > (indexedBy === 'second' ? 1 : MAX_SHARDS) ? undefined : fewest,
    warmUnits: wanted,
  };
}

/** Returns a key's maximum units per second, x: above a partition's average load m, DEVIATIONS standard deviations √(m × x) fit. */
function mostOfKey(units: number, warmUnits: number): number {
  if (units <= FITS_ONE_PARTITION) return FITS_ONE_PARTITION;
  const used = units / warmUnits;
  if (used >= 1) return 0;
  const most = (PARTITION_UNITS * (1 - used) ** 2) / (DEVIATIONS ** 2 * used);
  return Math.min(FITS_ONE_PARTITION, most);
}
