/** `npm run bench faults`: checks the promise of a second with a DynamoDB that throttles and hangs. */
import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import { lagMsOf, Simulation, type SimulationOptions } from '../../test/support/simulation/simulation.ts';
import { type LagPercentiles, lagPercentiles } from '../report/lag.ts';
import { count } from '../report/numbers.ts';
import { defineExperiment } from './support/experiment.ts';
import { seed, virtualMinutes } from './support/flags.ts';
import { FIRST_TTL, LEAD, runTicks, START } from './support/simulated.ts';
import { type ExecutionSums, sumExecutions } from './support/sums.ts';
import { markdownTable, percent, seconds } from './support/table.ts';

/** An item of the stream; its TTL in epoch seconds. */
interface StreamItem {
  readonly id: string;
  readonly ttl: number;
}

/** DynamoDB's faults in the calls of the functions. */
export interface Faults extends Pick<SimulationOptions, 'throttled' | 'throttledCall' | 'hangingDelete'> {
  /** Ids of the items that were in a call that hung: the promise is about all others. Filled while the simulation runs. */
  readonly struck?: ReadonlySet<string>;
}

/** Limits for a scenario; values without a limit are only measured. */
export interface Bounds {
  /** Largest p99 of the lag, milliseconds. */
  readonly p99Ms?: number;
  /** Largest share (0 to 1) of items later than {@link LATE_MS}, among those that were not in a call that hung. */
  readonly lateShare?: number;
}

/** A failure of DynamoDB. Each scenario has its own table and clock. */
export interface Scenario {
  readonly title: string;
  /** Items a second. */
  readonly rate: number;
  /** @default none */
  readonly faults?: (items: readonly StreamItem[], random: RandomSource) => Faults;
  readonly bounds: Bounds;
}

/** Limit above which an item counts as late, milliseconds after its expiry. */
const LATE_MS = 2_000;
const RATE = 20;
const HANG_MS = 15_000;
const THROTTLED_SHARE = 0.1;
/** Ticks after the last minute, which find its remaining items. */
const FOLLOWING = 3;

/** Refuses a call as a whole, as a busy table does. The functions' client retries a query once, immediately. */
const throttledCalls = (_items: readonly StreamItem[], random: RandomSource): Faults => ({
  throttledCall: () => random.next() < THROTTLED_SHARE,
});

/** In every fifth second one item is left unprocessed by its first call. */
function keysThrottledOnce(items: readonly StreamItem[], random: RandomSource): Faults {
  const fifths = items.filter(({ ttl }) => ttl % 5 === 0);
  const left = new Set(
    [...Map.groupBy(fifths, ({ ttl }) => ttl).values()].map(
      second => second[Math.floor(random.next() * second.length)]?.id,
    ),
  );
  return { throttled: id => left.delete(id) };
}

/** In each minute the first delete after a random moment is not answered in time. */
function callsThatHang(items: readonly StreamItem[], random: RandomSource): Faults {
  const minutes = new Set(items.map(({ ttl }) => ttl - (ttl % 60)));
  // The moment is not in the minute's last seconds, so that each minute has a call after it.
  const moments = [...minutes].map(minute => (minute + random.next() * 55) * 1000);
  const struck = new Set<string>();
  return {
    struck,
    hangingDelete: (ids, nowMs) => {
      if (nowMs < (moments[0] ?? Number.POSITIVE_INFINITY)) return 0;
      moments.shift();
      for (const id of ids) struck.add(id);
      return HANG_MS;
    },
  };
}

export const SCENARIOS = {
  none: { title: 'nothing wrong', rate: RATE, bounds: { p99Ms: 1_000 } },
  throttledOnce: {
    title: 'every 5 s one key throttled once',
    rate: RATE,
    faults: keysThrottledOnce,
    bounds: { p99Ms: 1_500 },
  },
  hanging: {
    title: 'one delete call a minute hangs for 15 s',
    rate: RATE,
    faults: callsThatHang,
    bounds: { lateShare: 0.01 },
  },
  throttled: {
    title: '10% of all calls throttled',
    rate: RATE,
    faults: throttledCalls,
    bounds: { p99Ms: 3_000 },
  },
  throttledFast: {
    title: '10% of all calls throttled, at 300 items a second',
    rate: 300,
    faults: throttledCalls,
    bounds: { p99Ms: 3_000 },
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export default defineExperiment({
  name: 'faults',
  about: `
Runs the sweep to the second with keys that are throttled, calls that are throttled and calls that hang: the real
definition and all that the functions decide, around a table in memory, on a virtual clock on which a call takes 30
milliseconds. The same flags give the same result on every machine. Takes about half a minute.`,
  flags: {
    minutes: virtualMinutes(10, 'how long items keep expiring'),
    seed: seed('makes the same faults again'),
  },
  holds: 'all gone, none early, no sweep failed, the counts add up, and every bound is kept',
  async run({ flags }) {
    const scenarios = [];
    for (const scenario of Object.values(SCENARIOS)) scenarios.push(await runScenario(scenario, flags));
    return {
      text: faultsTable(scenarios),
      result: { scenarios },
      problems: scenarios.flatMap(faultsProblems),
    };
  },
});

export interface FaultsResult {
  readonly title: string;
  readonly rate: number;
  readonly bounds: Bounds;
  readonly written: number;
  readonly deleted: number;
  /** Items deleted before their TTL; anything but 0 is a failure. */
  readonly early: number;
  /** Items that were in a call that hung. */
  readonly struck: number;
  /** Percentiles of the time from expiry to deletion, for all deleted items. */
  readonly lagMs: LagPercentiles;
  /** Share (0 to 1) of the deleted items, without those in a call that hung, that are later than LATE_MS. */
  readonly lateShare: number;
  readonly sums: ExecutionSums;
}

/** Runs the ticks of a steady stream of items through a DynamoDB that misbehaves, on a virtual clock. */
export async function runScenario(
  { title, rate, faults, bounds }: Scenario,
  { minutes, seed }: { readonly minutes: number; readonly seed: number },
): Promise<FaultsResult> {
  const items = Array.from({ length: rate * minutes * 60 }, (_unused, index): StreamItem => {
    const ttl = FIRST_TTL + Math.floor(index / rate);
    return { id: `${ttl}-${index % rate}`, ttl };
  });
  const { struck = new Set(), ...misbehaviour } = faults?.(items, seededRandom(seed)) ?? {};
  const simulation = new Simulation({ start: START, ...misbehaviour });
  for (const item of items) simulation.table.write(item.id, item.ttl);
  await runTicks(simulation, LEAD + minutes + FOLLOWING);

  const deleted = simulation.deleted.map(fate => ({ id: fate.id, lag: lagMsOf(fate) }));
  const others = deleted.filter(fate => !struck.has(fate.id));
  const late = others.filter(({ lag }) => lag > LATE_MS).length;
  return {
    ...{ title, rate, bounds },
    written: items.length,
    deleted: deleted.length,
    early: deleted.filter(({ lag }) => lag < 0).length,
    struck: struck.size,
    lagMs: lagPercentiles(deleted.map(({ lag }) => lag)),
    lateShare: others.length === 0 ? 0 : late / others.length,
    sums: sumExecutions(simulation.executions),
  };
}

/** The broken promises of a scenario. */
export function faultsProblems(result: FaultsResult): string[] {
  const { title, bounds, written, deleted, early, lagMs, lateShare, sums } = result;
  const problems: string[] = [];
  if (deleted !== written) problems.push(`${count(deleted)} of ${count(written)} items deleted`);
  if (early > 0) problems.push(`${count(early)} items deleted before they expired`);
  if (sums.failed > 0) problems.push(`${count(sums.failed)} sweeps failed`);
  if (!sums.eachAddsUp) problems.push('the counts of a sweep do not add up');
  if (sums.deleted !== deleted) {
    problems.push(`${count(deleted)} deletions were seen, the executions count ${count(sums.deleted)}`);
  }
  if (bounds.p99Ms !== undefined && (lagMs.p99 ?? 0) > bounds.p99Ms) {
    problems.push(`p99 expected at most ${seconds(bounds.p99Ms)} s, got ${seconds(lagMs.p99)} s`);
  }
  if (bounds.lateShare !== undefined && lateShare > bounds.lateShare) {
    problems.push(
      `later than 2 s expected at most ${percent(bounds.lateShare)}, got ${percent(lateShare)} of the other items`,
    );
  }
  return problems.map(problem => `${title}: ${problem}`);
}

function faultsTable(results: readonly FaultsResult[]): string {
  const head = [
    'scenario',
    'deleted',
    'lag p50, s',
    'p99, s',
    'max, s',
    'later than 2 s',
    'sweeps failed',
    'bound',
  ];
  const rows = results.map(({ title, written, deleted, lagMs, lateShare, struck, sums, bounds }) => [
    title,
    `${count(deleted)} of ${count(written)}`,
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
    `${percent(lateShare)}${struck > 0 ? ' of the others' : ''}`,
    `${count(sums.failed)} of ${count(sums.executions)}`,
    boundOf(bounds),
  ]);
  return markdownTable(head, rows);
}

function boundOf({ p99Ms, lateShare }: Bounds): string {
  if (p99Ms !== undefined) return `p99 ≤ ${p99Ms / 1000} s`;
  return lateShare === undefined ? '–' : `later than 2 s ≤ ${percent(lateShare)}`;
}
