import { type Execution, seededRandom } from 'stepfunctions-emulator';
import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { expiryModel } from '../../expiry/model.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { lagPercentiles } from '../../lab/report/lag.ts';
import { lagMsOf, Simulation } from '../../test/support/simulation/simulation.ts';
import { sumExecutions } from '../ticks/executions.ts';
import { IndexPartitions } from './index-partitions.ts';
import type { PartitionsResult } from './result.ts';
import type { Scenario } from './scenarios.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** Minutes before the first item expires, and ticks after the last one has. */
const LEAD = 2;
const FOLLOWING = 2;

/** The writers' puts come so close to each other, milliseconds. */
const PUT_STEP_MS = 10;

/** A fixed lifetime, and the longest of spread ones, seconds. */
const FIXED_LIFETIME = 3_600;
const LONGEST_LIFETIME = 86_400;

/** Items are in the index so long before they expire, seconds: the tick that owns them finds them. */
const WRITTEN_BEFORE = 150;

/** Later is late, milliseconds. */
const LATE_MS = 2_000;

/** A call of a function and a read of the index, milliseconds. */
const CALL_MS = 20;
const READ = { ms: 5, processorMs: 3 };

export interface PartitionsRun {
  /** How long items expire. */
  readonly seconds: number;
  readonly seed: number;
}

/** Several times, each with its keys on other partitions: few keys can be lucky. */
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
  /** From expiry to deletion, milliseconds. */
  readonly lags: readonly number[];
  readonly puts: number;
  readonly putsThrottled: number;
  readonly executions: readonly Execution[];
}

/** As many items are put as expire, each second, on one index whose keys share partitions. */
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

  const from = START + LEAD * 60;
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
        lifetimes === 'fixed' ? FIXED_LIFETIME : 60 + Math.floor(random.next() * (LONGEST_LIFETIME - 60));
      if (!partitions.take(keyOf(Math.floor(nowMs / 1000) + lifetime, anyShard()), nowMs)) putsThrottled += 1;
    }
    if (nowMs + PUT_STEP_MS < ends) clock.schedule(PUT_STEP_MS, put);
  };
  clock.schedule((from - START) * 1000, put);

  const minutes = LEAD + Math.ceil(seconds / 60) + FOLLOWING;
  for (let minute = 0; minute < minutes; minute += 1) simulation.tick(START + minute * 60, TICK_LATE_SECONDS);
  await simulation.finish();

  const lags = simulation.deleted.map(lagMsOf);
  return { lags, puts, putsThrottled, executions: simulation.executions };
}
