import {
  adviseShards,
  type IndexLoad,
  NEW_TABLE_UNITS,
  PARTITION_UNITS,
} from '../../expiry/partition-rule.ts';

export interface Scenario {
  /** Items put a second, and as many expire. */
  readonly rate: number;
  readonly granularityMinutes: number;
  /** All items live an hour, so that those of a second go to one window; or from a minute to a day. */
  readonly lifetimes: 'fixed' | 'spread';
  /** Of the index. */
  readonly partitions: number;
  readonly shards: number;
  /** How often it is run, each time with its keys on other partitions. */
  readonly draws: number;
}

const DAY = 1440;
const LIFETIMES = ['fixed', 'spread'] as const;
const NEW_PARTITIONS = NEW_TABLE_UNITS / PARTITION_UNITS;

/** Items a second for a shard, by the rule that looked at keys and not at partitions. */
const OF_KEYS = 650;

/** With so many keys and more one draw is like another. */
const MANY_KEYS_RATE = 5_000;
const DRAWS = 3;

/** At every rate what the rule recommends, the same shards on a new table, and the shards of the former rule. */
export function scenariosOf(rates: readonly number[]): Scenario[] {
  return rates.flatMap(rate => [1, DAY].flatMap(granularityMinutes => atRate(rate, granularityMinutes)));
}

function atRate(rate: number, granularityMinutes: number): Scenario[] {
  const { shards = 1, warmUnits } = adviseShards(loadOf({ rate, granularityMinutes, shards: 1 }));
  const partitions = warmUnits / PARTITION_UNITS;
  const draws = rate < MANY_KEYS_RATE ? DRAWS : 1;
  const advised = { rate, granularityMinutes, lifetimes: 'fixed', partitions, shards, draws } as const;
  const ofKeys = Math.ceil(rate / OF_KEYS);
  // A new table that cannot take what is written is no question of shards.
  const isNewTooSmall = 2 * rate > NEW_TABLE_UNITS;
  return [
    ...LIFETIMES.map(lifetimes => ({ ...advised, lifetimes })),
    ...(partitions === NEW_PARTITIONS || isNewTooSmall ? [] : [{ ...advised, partitions: NEW_PARTITIONS }]),
    ...(ofKeys === shards || granularityMinutes !== 1 ? [] : [{ ...advised, shards: ofKeys }]),
  ];
}

type Loaded = Pick<Scenario, 'rate' | 'granularityMinutes' | 'shards'> &
  Partial<Pick<Scenario, 'partitions'>>;

export function loadOf({ rate, granularityMinutes, shards, partitions }: Loaded): IndexLoad {
  return {
    ...{ indexedBy: 'window', granularityMinutes, shards, putsPerSecond: rate, deletesPerSecond: rate },
    ...(partitions !== undefined && { warmUnits: partitions * PARTITION_UNITS }),
  };
}
