import { type IndexedBy, MAX_SHARDS } from '../expiry/model.ts';
import { PARTITION_UNITS } from '../expiry/window.ts';

/*
 * How many shards a window needs. DynamoDB writes at most 1,000 units per second to a partition. An index has its own partitions, and a
 * hash spreads its keys over them; several keys share one partition. A put of an item writes its index entry, and a delete removes the
 * entry: one unit each. A full partition delays the sweep, and DynamoDB throttles the users' own puts of its keys.
 */

/** Write units per second of a new table on demand, and also of its index. Source: DynamoDB Developer Guide, "Warm throughput". */
export const NEW_TABLE_UNITS = 4000;

/** Units per second for which one partition is enough. Less than PARTITION_UNITS, because a load is uneven within a second. */
const FITS_ONE_PARTITION = 800;

/** A partition must have room for a load of this many standard deviations above the average. */
const DEVIATIONS = 3;

/** Maximum share of the advised warm throughput that the load takes. A key may then have 100 units per second. */
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
   * `holds`: items are deleted within two seconds after their expiry. `late`: some partitions are too full, so items are late, and their
   * puts are throttled. `impossible`: one key gets more writes than DynamoDB allows.
   */
  readonly verdict: 'holds' | 'late' | 'impossible';
  /**
   * The smallest sufficient number of shards for an index with a warm throughput of `warmUnits`. Undefined when no number is sufficient: in
   * an index by second, for example, a second is one key.
   */
  readonly shards: number | undefined;
  /** Write units per second for which the index should be warm, at least as many as today. */
  readonly warmUnits: number;
}

/**
 * The load of a partition is m units per second on average, by keys with x units each. Its standard deviation is √(m × x). The partition
 * must have room for m and three standard deviations. An experiment compared this rule with the real sweep, on a simulated index
 * (lab/experiments/partitions.ts in commit cd567234).
 */
export function adviseShards(load: IndexLoad): ShardAdvice {
  const { indexedBy, granularityMinutes, shards, perSecond, warmUnits: warm = NEW_TABLE_UNITS } = load;
  const units = 2 * perSecond;
  // Items seldom live for less than a minute: so a second, or a window of a minute, gets its puts before its deletes. Longer windows may
  // get both at once.
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

function mostOfKey(units: number, warmUnits: number): number {
  if (units <= FITS_ONE_PARTITION) return FITS_ONE_PARTITION;
  const used = units / warmUnits;
  if (used >= 1) return 0;
  const most = (PARTITION_UNITS * (1 - used) ** 2) / (DEVIATIONS ** 2 * used);
  return Math.min(FITS_ONE_PARTITION, most);
}
