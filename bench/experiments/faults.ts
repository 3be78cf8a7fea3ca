import { type RandomSource, seededRandom } from 'stepfunctions-emulator';
import { count } from '../../cli/dashboard/words.ts';
import { TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import {
  type Fate,
  lagMsOf,
  Simulation,
  type SimulationOptions,
} from '../../test/support/simulation/simulation.ts';
import { lagPercentiles } from '../report/numbers.ts';
import { defineExperiment, markdownTable, seconds, seed, wholeNumber } from './support/experiment.ts';

type StreamItem = Pick<Fate, 'id' | 'ttl'>;

type Faults = Pick<SimulationOptions, 'throttledCall' | 'hangingDelete'>;

/** Limits for the lag in a scenario; a value without a limit is only measured. */
export interface Bounds {
  readonly p99Ms?: number;
  readonly maxMs?: number;
}

/** A tick of the run. Tick 0 is for the items that expire first, tick `last` for the items that expire last. */
interface Tick {
  readonly number: number;
  readonly last: number;
  readonly random: RandomSource;
}

/** The items, faults and ticks of one simulation, and the limits for its lag. */
export interface Scenario {
  readonly title: string;
  readonly rate: number;
  /**
   * @param struck set to which `faults` adds the ids of items in requests that hang; `bounds.p99Ms` does not count these items
   * @default no faults
   */
  readonly faults?: (items: readonly StreamItem[], random: RandomSource, struck: Set<string>) => Faults;
  /** Seconds from a tick's time to the start of each of its executions. @default one execution, {@link TICK_LATE_SECONDS} late */
  readonly deliver?: (tick: Tick) => readonly number[];
  readonly pollSeconds?: number;
  /** Seconds from the writing of an item to its expiry. @default all items are written at the beginning */
  readonly lifeSeconds?: number;
  /** Seconds between two moments at which items expire. @default 1 */
  readonly everySeconds?: number;
  readonly bounds: Bounds;
}

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
/** Minutes from START to the first expiry: more than the one minute that a tick comes before its items. */
const LEAD = 2;
const FIRST_TTL = START + LEAD * 60;

const RATE = 20;
const HANG_MS = 15_000;
const THROTTLED_SHARE = 0.1;
/** Number of ticks after the last minute with expiries: these ticks find the remaining items. */
const FOLLOWING = 3;

const throttledCalls = (_items: readonly StreamItem[], random: RandomSource): Faults => ({
  throttledCall: () => random.next() < THROTTLED_SHARE,
});

/** In each minute the first delete request after a random moment hangs for {@link HANG_MS}. */
function callsThatHang(items: readonly StreamItem[], random: RandomSource, struck: Set<string>): Faults {
  const minutes = new Set(items.map(({ ttl }) => ttl - (ttl % 60)));
  // The moment is at least five seconds before the end of the minute: a delete follows in the same minute.
  const moments = [...minutes].map(minute => (minute + random.next() * 55) * 1000);
  return {
    hangingDelete: (ids, nowMs) => {
      if (nowMs < (moments[0] ?? Number.POSITIVE_INFINITY)) return 0;
      moments.shift();
      for (const id of ids) struck.add(id);
      return HANG_MS;
    },
  };
}

const MAX_MS = 3_000;

const SHORT = { rate: RATE, lifeSeconds: 5 };

export const SCENARIOS = {
  none: { title: 'nothing wrong', rate: RATE, bounds: { p99Ms: 100, maxMs: MAX_MS } },
  hanging: {
    title: 'one delete call a minute hangs for 15 s (p50, p99: of the others)',
    rate: RATE,
    faults: callsThatHang,
    bounds: { p99Ms: 100, maxMs: MAX_MS },
  },
  throttled: {
    title: '10% of all calls throttled',
    rate: RATE,
    faults: throttledCalls,
    bounds: { p99Ms: 1_100, maxMs: MAX_MS },
  },
  throttledFast: {
    title: '10% of all calls throttled, at 300 items a second',
    rate: 300,
    faults: throttledCalls,
    bounds: { p99Ms: 1_100, maxMs: MAX_MS },
  },
  late59: {
    title: 'ticks late by 0 to 59 s',
    rate: RATE,
    deliver: ({ number, last, random }: Tick) => [(number === last ? 1 : random.next()) * 59],
    bounds: { p99Ms: 100 },
  },
  twice: {
    title: 'every tick twice, 7 s apart',
    rate: RATE,
    deliver: () => [TICK_LATE_SECONDS, TICK_LATE_SECONDS + 7],
    bounds: { p99Ms: 100 },
  },
  skipped: {
    title: 'one tick skipped',
    rate: RATE,
    deliver: ({ number, last }: Tick) => (number === Math.floor(last / 2) ? [] : [TICK_LATE_SECONDS]),
    bounds: {},
  },
  short: { title: 'written 5 s before expiry', ...SHORT, bounds: {} },
  shortPolled: {
    title: 'written 5 s before expiry, pollSeconds: 5',
    ...SHORT,
    pollSeconds: 5,
    bounds: { p99Ms: 200 },
  },
  sparsePolled: {
    title: 'written 5 s before expiry, only every 13 s, pollSeconds: 5',
    ...SHORT,
    pollSeconds: 5,
    everySeconds: 13,
    bounds: { p99Ms: 200 },
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export default defineExperiment({
  name: 'faults',
  about: `
Runs the sweep to the second with calls that are throttled and calls that hang, with ticks that come late,
twice or not at all, and with items that are written shortly before they expire: the real definition and all that the functions
decide, around a table in memory, on a virtual clock on which a call takes 30 milliseconds. The same flags give the same result on
every machine. Takes about half a minute.`,
  flags: {
    minutes: { ...wholeNumber(1, 60, 'how long items keep expiring, on the virtual clock'), default: 10 },
    seed: { ...seed('makes the same faults again'), default: 1 },
  },
  holds: 'all gone, none early, no sweep failed, and every bound is kept',
  async run({ flags }) {
    const scenarios = [];
    for (const scenario of Object.values(SCENARIOS)) scenarios.push(await runScenario(scenario, flags));
    return { text: faultsTable(scenarios), data: { scenarios }, problems: scenarios.flatMap(faultsProblems) };
  },
});

export type FaultsResult = Awaited<ReturnType<typeof runScenario>>;

export async function runScenario(
  { title, rate, bounds, ...scenario }: Scenario,
  { minutes, seed }: { readonly minutes: number; readonly seed: number },
) {
  const { faults, deliver, pollSeconds, lifeSeconds, everySeconds = 1 } = scenario;
  const moments = Math.ceil((minutes * 60) / everySeconds);
  const items = Array.from({ length: rate * moments }, (_unused, index): StreamItem => {
    const ttl = FIRST_TTL + Math.floor(index / rate) * everySeconds;
    return { id: `${ttl}-${index % rate}`, ttl };
  });
  const random = seededRandom(seed);
  const struck = new Set<string>();
  const misbehaviour = faults?.(items, random, struck) ?? {};
  const props = { ...(pollSeconds !== undefined && { pollSeconds }) };
  const simulation = new Simulation({ start: START, props, ...misbehaviour });
  for (const { id, ttl } of items) {
    const write = () => simulation.table.write(id, ttl);
    if (lifeSeconds === undefined) write();
    else simulation.clock.schedule((ttl - lifeSeconds - START) * 1000, write);
  }
  for (let minute = 0; minute < LEAD + minutes + FOLLOWING; minute += 1) {
    const number = minute - LEAD + 1;
    const isOwner = number >= 0 && number < minutes;
    const delays = (isOwner && deliver?.({ number, last: minutes - 1, random })) || [TICK_LATE_SECONDS];
    for (const delay of delays) simulation.tick(START + minute * 60, delay);
  }
  await simulation.finish();

  const { executions, deleted } = simulation;
  const lagsOf = (some: typeof deleted) => lagPercentiles(some.map(lagMsOf));
  return {
    ...{ title, bounds, written: items.length, deleted: deleted.length },
    early: deleted.filter(item => lagMsOf(item) < 0).length,
    lagMs: lagsOf(deleted.filter(({ id }) => !struck.has(id))),
    maxMs: lagsOf(deleted).max ?? 0,
    executions: executions.length,
    failed: executions.filter(({ status }) => status !== 'SUCCEEDED').length,
    faults: simulation.reportsOf().reduce((total, { retries }) => total + retries, struck.size),
  };
}

export function faultsProblems(result: FaultsResult): string[] {
  const { title, bounds, written, deleted, early, lagMs, maxMs, failed } = result;
  const p99Ms = lagMs.p99 ?? 0;
  const most = (what: string, bound = Number.POSITIVE_INFINITY, ms: number) =>
    ms > bound ? [`${what} expected at most ${seconds(bound)} s, got ${seconds(ms)} s`] : [];
  return [
    ...(deleted === written ? [] : [`${count(deleted)} of ${count(written)} items deleted`]),
    ...(early === 0 ? [] : [`${count(early)} items deleted before they expired`]),
    ...(failed === 0 ? [] : [`${count(failed)} sweeps failed`]),
    ...most('p99', bounds.p99Ms, p99Ms),
    ...most('the latest', bounds.maxMs, maxMs),
  ].map(problem => `${title}: ${problem}`);
}

function faultsTable(results: readonly FaultsResult[]): string {
  const head = ['scenario', 'deleted', 'lag p50, s', 'p99, s', 'max of all, s', 'sweeps failed'];
  const rows = results.map(({ title, written, deleted, lagMs, maxMs, ...result }) => [
    title,
    `${count(deleted)} of ${count(written)}`,
    seconds(lagMs.p50),
    seconds(lagMs.p99),
    seconds(maxMs),
    `${count(result.failed)} of ${count(result.executions)}`,
  ]);
  return markdownTable(head, rows);
}
