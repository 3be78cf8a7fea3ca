import { type IndexedBy, MAX_SHARDS } from './model.ts';

/*
 * How many shards a window needs. DynamoDB writes at most 1,000 units a second to a partition. An index has partitions of its own, its
 * keys are spread over them by a hash, and several keys share one. A put of an item writes its entry, and its delete takes the entry away:
 * one unit each. Keys on a partition that is full keep the sweep waiting, and DynamoDB throttles the users' own puts to them.
 */

/** Write units a second that one partition, and so one key, takes. Source: DynamoDB Developer Guide, "Burst and adaptive capacity". */
export const PARTITION_UNITS = 1000;

/** Write units a second that a new table on demand takes, and its index too. Source: DynamoDB Developer Guide, "Warm throughput". */
export const NEW_TABLE_UNITS = 4000;

/** A load that fits one partition however the hash spreads it, units a second: a peak is uneven within its seconds. */
const FITS_ONE_PARTITION = 800;

/** Standard deviations of a partition's load that have to fit beside the average: one of a hundred partitions may have as much. */
const DEVIATIONS = 3;

/**
 * An index should be warm for so much that it is no fuller on average: else it needs too many shards. 100 units a second a key hold then.
 */
const FULL_SHARE = 0.4;

/** The writes to an index in its busiest seconds, and how they are spread. */
export interface IndexLoad {
  readonly indexedBy: IndexedBy;
  readonly granularityMinutes: number;
  readonly shards: number;
  /** Items with a TTL that are put a second, and items that get another TTL. */
  readonly putsPerSecond: number;
  /** Items that are deleted a second, and items that get another TTL: their old entry is deleted. */
  readonly deletesPerSecond: number;
  /** Write units a second that the index takes at once. @default those of a new table's index */
  readonly warmUnits?: number | undefined;
}

export interface ShardAdvice {
  /**
   * `holds`: what expires is gone within two seconds. `late`: some partitions are too full, and what lies there is late and throttled.
   * `impossible`: more is written to one key than DynamoDB takes.
   */
  readonly verdict: 'holds' | 'late' | 'impossible';
  /** The fewest that hold on an index that is warm for `warmUnits`; undefined when none hold, as by second, where a second is one key. */
  readonly shards: number | undefined;
  /** Write units a second that the index should be warm for, no less than it is. */
  readonly warmUnits: number;
}

/**
 * Judges the load of an index, and says which number of shards and which warm throughput hold. Keys of x units a second, on partitions of
 * which a share is used on average, give a partition that share with a standard deviation of √(share × x); three of these have to fit.
 * `npm run bench partitions` holds it against the real sweep.
 */
export function adviseShards(load: IndexLoad): ShardAdvice {
  const { indexedBy, shards, putsPerSecond, deletesPerSecond, warmUnits: warm = NEW_TABLE_UNITS } = load;
  const units = putsPerSecond + deletesPerSecond;
  const ofWindow = unitsOfWindow(load);
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

/**
 * The load on the keys of one window. Items seldom live for less than a minute, so windows of a minute get their puts before their deletes;
 * longer ones may get both at once.
 */
function unitsOfWindow({
  indexedBy,
  granularityMinutes,
  putsPerSecond,
  deletesPerSecond,
}: IndexLoad): number {
  return indexedBy === 'window' && granularityMinutes > 1
    ? putsPerSecond + deletesPerSecond
    : Math.max(putsPerSecond, deletesPerSecond);
}

/** The most units a second of one key, when so many are written to an index that takes so many. */
function mostOfKey(units: number, warmUnits: number): number {
  if (units <= FITS_ONE_PARTITION) return FITS_ONE_PARTITION;
  const used = units / warmUnits;
  if (used >= 1) return 0;
  const most = (PARTITION_UNITS * (1 - used) ** 2) / (DEVIATIONS ** 2 * used);
  return Math.min(FITS_ONE_PARTITION, most);
}
