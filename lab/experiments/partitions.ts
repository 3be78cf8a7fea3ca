/** `npm run bench partitions`: simulates the sweep on an index whose keys share partitions. */
import { type Execution, seededRandom } from 'stepfunctions-emulator';
import { expiryModel } from '../../expiry/model.ts';
import {
  adviseShards,
  type IndexLoad,
  NEW_TABLE_UNITS,
  PARTITION_UNITS,
} from '../../expiry/partition-rule.ts';
import { sha256 } from '../../expiry/sha256.ts';
import { utf8 } from '../../expiry/utf8.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { WriteCapacity } from '../faults/index.ts';
import { type LagPercentiles, lagPercentiles } from '../report/lag.ts';
import { count } from '../report/numbers.ts';
import { defineExperiment } from './support/experiment.ts';
import { seed, whole } from './support/flags.ts';
import { FIRST_TTL, LEAD, runTicks, START } from './support/simulated.ts';
import { type ExecutionSums, sumExecutions } from './support/sums.ts';
import { markdownRow, markdownTable, percent, seconds } from './support/table.ts';

const RATES = [300, 1_500, 5_000, 16_667];
const QUICK_RATES = 2;

export default defineExperiment({
  name: 'partitions',
  about: `
Puts as many items a second as expire, and sweeps them: the real definition and all that the functions decide, around a table in
memory, on a virtual clock on which a call takes 20 ms and a read of the index 5 ms. Each key of the index lies on one of its
partitions by a hash, and each partition takes 1,000 write units a second, puts and deletes together. DynamoDB's bursts, and that it
splits a partition which stays hot, are left out.

For each rate, in windows of a minute and of a day: the shards and the warm throughput that the rule recommends; the same shards on a new
table, where that can take what is written; and a shard for each 650 items a second, which is what keys alone would need. The lower two
rates are run three times, with the keys on other partitions. The same flags give the same result on every machine. Takes a quarter of an
hour, most of it for the highest rate.`,
  flags: {
    quick: { type: 'switch', help: 'the two lower rates only: a minute instead of many' },
    seconds: whole({ min: 10, max: 600 }, 30, 'how long items are put and expire, on the virtual clock'),
    seed: seed('puts the same keys on the same partitions again'),
  },
  holds:
    'where the rule says "holds" p99 is at most 2 s, nothing is left, and at most 0.1% of the puts are throttled',
  async run({ flags, print }) {
    const scenarios = [];
    print(markdownTable(HEAD, []));
    for (const scenario of scenariosOf(flags.quick ? RATES.slice(0, QUICK_RATES) : RATES)) {
      const result = await runPartitions(scenario, flags);
      scenarios.push(result);
      print(partitionsRow(result));
    }
    return { result: { scenarios }, problems: scenarios.flatMap(partitionsProblems) };
  },
});

interface Scenario {
  /** Items put a second, and as many expire. */
  readonly rate: number;
  readonly granularityMinutes: number;
  /** `fixed`: all items live an hour, so the items of one second go to one window. `spread`: they live a minute to a day. */
  readonly lifetimes: 'fixed' | 'spread';
  /** Number of the index's partitions. */
  readonly partitions: number;
  readonly shards: number;
  /** Number of runs, each with its keys on other partitions. */
  readonly draws: number;
}

const DAY = 1440;
const LIFETIMES = ['fixed', 'spread'] as const;
const NEW_PARTITIONS = NEW_TABLE_UNITS / PARTITION_UNITS;

/** Items a second for a shard, by the former rule, which considered keys and not partitions. */
const OF_KEYS = 650;

/** From this number of keys on, the runs hardly differ. */
const MANY_KEYS_RATE = 5_000;
const DRAWS = 3;

/** Scenarios for every rate: the rule's recommendation, the same shards on a new table, and the shards of the former rule. */
export function scenariosOf(rates: readonly number[]): Scenario[] {
  return rates.flatMap(rate => [1, DAY].flatMap(granularityMinutes => atRate(rate, granularityMinutes)));
}

function atRate(rate: number, granularityMinutes: number): Scenario[] {
  const { shards = 1, warmUnits } = adviseShards(loadOf({ rate, granularityMinutes, shards: 1 }));
  const partitions = warmUnits / PARTITION_UNITS;
  const draws = rate < MANY_KEYS_RATE ? DRAWS : 1;
  const advised = { rate, granularityMinutes, lifetimes: 'fixed', partitions, shards, draws } as const;
  const ofKeys = Math.ceil(rate / OF_KEYS);
  // When a new table cannot take the writes, shards do not help.
  const isNewTooSmall = 2 * rate > NEW_TABLE_UNITS;
  return [
    ...LIFETIMES.map(lifetimes => ({ ...advised, lifetimes })),
    ...(partitions === NEW_PARTITIONS || isNewTooSmall ? [] : [{ ...advised, partitions: NEW_PARTITIONS }]),
    ...(ofKeys === shards || granularityMinutes !== 1 ? [] : [{ ...advised, shards: ofKeys }]),
  ];
}

type Loaded = Pick<Scenario, 'rate' | 'granularityMinutes' | 'shards'> &
  Partial<Pick<Scenario, 'partitions'>>;

function loadOf({ rate, granularityMinutes, shards, partitions }: Loaded): IndexLoad {
  return {
    ...{ indexedBy: 'window', granularityMinutes, shards, putsPerSecond: rate, deletesPerSecond: rate },
    ...(partitions !== undefined && { warmUnits: partitions * PARTITION_UNITS }),
  };
}

/**
 * The partitions of an index. A key is on one of them, by its hash, and shares its write units with all other keys there. Each partition
 * has at most one second's units. DynamoDB also splits a partition that stays hot for minutes, and keeps some more units for bursts, but
 * promises neither: both are left out.
 */
export class IndexPartitions {
  readonly #partitions: readonly WriteCapacity[];
  readonly #ofKey = new Map<string, WriteCapacity>();
  readonly #seed: number;

  constructor(count: number, seed: number) {
    this.#partitions = Array.from(
      { length: count },
      () => new WriteCapacity({ unitsPerSecond: PARTITION_UNITS }),
    );
    this.#seed = seed;
  }

  /** Takes a write unit of the key's partition; returns false when none is left. */
  take(key: string, nowMs: number): boolean {
    return this.#partitionOf(key)?.take(1, nowMs) ?? false;
  }

  #partitionOf(key: string): WriteCapacity | undefined {
    const known = this.#ofKey.get(key);
    if (known !== undefined) return known;
    const [hash = 0] = sha256(utf8(`${this.#seed} ${key}`));
    const partition = this.#partitions[hash % this.#partitions.length];
    if (partition !== undefined) this.#ofKey.set(key, partition);
    return partition;
  }
}

/** Ticks after the last item has expired. */
const FOLLOWING = 2;

/** Interval between the writers' puts, milliseconds. */
const PUT_STEP_MS = 10;

/** A fixed lifetime, and the longest of spread ones, seconds. */
const FIXED_LIFETIME = 3_600;
const MAX_LIFETIME = 86_400;

/** Items are in the index this number of seconds before they expire, so the tick that owns their TTLs finds them. */
const WRITTEN_BEFORE = 150;

/** Limit above which a deletion is late, milliseconds. */
const LATE_MS = 2_000;

/** A call of a function and a read of the index, milliseconds. */
const CALL_MS = 20;
const READ = { ms: 5, processorMs: 3 };

interface PartitionsRun {
  /** Period in which items expire, seconds. */
  readonly seconds: number;
  readonly seed: number;
}

/** Runs several times, each with its keys on other partitions, because a few keys can be well distributed by chance. */
export async function runPartitions(scenario: Scenario, run: PartitionsRun): Promise<PartitionsResult> {
  const draws: Draw[] = [];
  for (let draw = 0; draw < scenario.draws; draw += 1) {
    draws.push(await runDraw(scenario, { ...run, seed: run.seed + draw }));
  }
  const sum = (of: (draw: Draw) => number) => draws.reduce((total, draw) => total + of(draw), 0);
  const items = scenario.rate * run.seconds * scenario.draws;
  const lags = draws.flatMap(draw => draw.lags);
  const left = items - lags.length;
  return {
    ...scenario,
    items,
    left,
    lagMs: lagPercentiles(lags),
    lateShare: (lags.filter(lag => lag > LATE_MS).length + left) / items,
    putsThrottledShare: sum(({ putsThrottled }) => putsThrottled) / sum(({ puts }) => puts),
    sums: sumExecutions(draws.flatMap(({ executions }) => executions)),
  };
}

interface Draw {
  /** Times from expiry to deletion, milliseconds. */
  readonly lags: readonly number[];
  readonly puts: number;
  readonly putsThrottled: number;
  readonly executions: readonly Execution[];
}

/** Simulates one index whose keys share partitions; each second as many items are put as expire. */
async function runDraw(scenario: Scenario, run: PartitionsRun): Promise<Draw> {
  const { rate, shards, granularityMinutes, lifetimes, partitions: count } = scenario;
  const { seconds, seed } = run;
  const model = expiryModel({ partitionKey: 'id', granularityMinutes, shards });
  const random = seededRandom(seed);
  const partitions = new IndexPartitions(count, seed);
  const keyOf = (ttl: number, shard: number) =>
    windowKey(windowStart(ttl, model.granularitySeconds), model.granularitySeconds, shard);
  const anyShard = () => Math.floor(random.next() * shards);
  const simulation = new Simulation({
    start: START,
    model,
    lookbackMinutes: Math.max(10, granularityMinutes),
    callMs: CALL_MS,
    read: READ,
    throttled: (id, nowMs) => {
      const [ttl, shard] = id.split('.');
      return !partitions.take(keyOf(Number(ttl), Number(shard)), nowMs);
    },
  });
  const { clock, table } = simulation;

  const from = FIRST_TTL;
  for (let second = 0; second < seconds; second += 1) {
    const ttl = from + second;
    clock.schedule((ttl - WRITTEN_BEFORE - START) * 1000, () => {
      for (let item = 0; item < rate; item += 1) {
        const shard = anyShard();
        table.write(`${ttl}.${shard}.${`${item}`.padStart(6, '0')}`, ttl, shard);
      }
    });
  }

  let puts = 0;
  let putsThrottled = 0;
  const ofStep = (rate * PUT_STEP_MS) / 1000;
  const ends = (from + seconds) * 1000;
  const put = () => {
    const nowMs = clock.now();
    const due = Math.floor(((nowMs - from * 1000) / PUT_STEP_MS + 1) * ofStep);
    for (; puts < due; puts += 1) {
      const lifetime =
        lifetimes === 'fixed' ? FIXED_LIFETIME : 60 + Math.floor(random.next() * (MAX_LIFETIME - 60));
      if (!partitions.take(keyOf(Math.floor(nowMs / 1000) + lifetime, anyShard()), nowMs)) putsThrottled += 1;
    }
    if (nowMs + PUT_STEP_MS < ends) clock.schedule(PUT_STEP_MS, put);
  };
  clock.schedule((from - START) * 1000, put);

  const minutes = LEAD + Math.ceil(seconds / 60) + FOLLOWING;
  await runTicks(simulation, minutes);

  const lags = simulation.deleted.map(lagMsOf);
  return { lags, puts, putsThrottled, executions: simulation.executions };
}

interface PartitionsResult extends Scenario {
  /** Number of expired items. */
  readonly items: number;
  /** Number of items that remain two ticks later. */
  readonly left: number;
  /** Lag of the deleted items. */
  readonly lagMs: LagPercentiles;
  /** Share of the items that were deleted later than two seconds after their expiry, or not at all, 0 to 1. */
  readonly lateShare: number;
  /** Share of the users' own puts without a write unit, each tried once, 0 to 1. */
  readonly putsThrottledShare: number;
  readonly sums: ExecutionSums;
}

/** The p99 that a rule must keep to hold. */
const P99_MS = 2_000;
const MAX_PUTS_THROTTLED = 0.001;

/** Scenarios in which the rule should hold but does not. */
function partitionsProblems(result: PartitionsResult): string[] {
  const { rate, shards, granularityMinutes, partitions, lagMs, left, putsThrottledShare, sums } = result;
  const problems = sums.eachAddsUp ? [] : ['the counts of a sweep do not add up'];
  if (adviseShards(loadOf(result)).verdict === 'holds') {
    if (left > 0) problems.push(`${count(left)} items left`);
    if ((lagMs.p99 ?? 0) > P99_MS) problems.push(`p99 expected at most 2 s, got ${seconds(lagMs.p99)} s`);
    if (putsThrottledShare > MAX_PUTS_THROTTLED)
      problems.push(`${percent(putsThrottledShare)} of the puts throttled`);
  }
  const of = `${count(rate)} items/s, windows of ${granularityMinutes} min, ${shards} shards, ${partitions} partitions`;
  return problems.map(problem => `${of}: ${problem}`);
}

const HEAD = [
  'items a second',
  'window',
  'lifetimes',
  'index warm for',
  'shards',
  'the rule says',
  'lag p99, s',
  'later than 2 s',
  "users' puts throttled",
];

function partitionsRow(result: PartitionsResult): string {
  return markdownRow([
    count(result.rate),
    result.granularityMinutes === 1 ? 'minute' : 'day',
    result.lifetimes,
    count(result.partitions * PARTITION_UNITS),
    count(result.shards),
    adviseShards(loadOf(result)).verdict,
    result.left > 0 ? `${count(result.left)} left` : seconds(result.lagMs.p99),
    percent(result.lateShare),
    percent(result.putsThrottledShare),
  ]);
}
