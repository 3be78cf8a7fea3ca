import type { RandomSource } from 'stepfunctions-emulator';
import type { SimulationOptions } from '../../test/support/simulation/simulation.ts';

/** An item of the stream; its TTL in epoch seconds. */
export interface StreamItem {
  readonly id: string;
  readonly ttl: number;
}

/** What DynamoDB does to the calls of the functions. */
export interface Faults extends Pick<SimulationOptions, 'throttled' | 'throttledCall' | 'hangingDelete'> {
  /** Ids of the items that were in a call that hung: the promise is about all others. Filled while the simulation runs. */
  readonly struck?: ReadonlySet<string>;
}

/** What a scenario must keep to; what is left out is only measured. */
export interface Bounds {
  /** Milliseconds. */
  readonly p99Ms?: number;
  /** Of the items that were not in a call that hung, the share (0 to 1) that may be later than {@link LATE_MS}. */
  readonly lateShare?: number;
}

/** A way in which DynamoDB misbehaves. Each has a table and a clock of its own. */
export interface Scenario {
  /** Unique. */
  readonly id: string;
  readonly title: string;
  /** Items a second. */
  readonly rate: number;
  /** @default none */
  readonly faults?: (items: readonly StreamItem[], random: RandomSource) => Faults;
  readonly bounds: Bounds;
}

/** From here on an item counts as late, milliseconds after its expiry. */
export const LATE_MS = 2_000;

const RATE = 20;
const HANG_MS = 15_000;
const THROTTLED_SHARE = 0.1;

/** As a busy table does: a call is refused as a whole. The functions' client tries a query once more at once. */
const throttledCalls = (_items: readonly StreamItem[], random: RandomSource): Faults => ({
  throttledCall: () => random.next() < THROTTLED_SHARE,
});

/** One item of each fifth second is left unprocessed by the first call that it is in. */
function keysThrottledOnce(items: readonly StreamItem[], random: RandomSource): Faults {
  const seconds = Map.groupBy(
    items.filter(({ ttl }) => ttl % 5 === 0),
    ({ ttl }) => ttl,
  );
  const left = new Set(
    [...seconds.values()].map(second => second[Math.floor(random.next() * second.length)]?.id),
  );
  return { throttled: id => left.delete(id) };
}

/** In each minute the first delete after a random moment gets no answer in time. */
function callsThatHang(items: readonly StreamItem[], random: RandomSource): Faults {
  const minutes = new Set(items.map(({ ttl }) => ttl - (ttl % 60)));
  // Not in its last seconds: each minute shall have a call after the moment.
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

export const SCENARIOS: readonly Scenario[] = [
  { id: 'None', title: 'nothing wrong', rate: RATE, bounds: { p99Ms: 1_000 } },
  {
    id: 'ThrottledOnce',
    title: 'every 5 s one key throttled once',
    rate: RATE,
    faults: keysThrottledOnce,
    bounds: { p99Ms: 1_500 },
  },
  {
    id: 'Hanging',
    title: 'one delete call a minute hangs for 15 s',
    rate: RATE,
    faults: callsThatHang,
    bounds: { lateShare: 0.01 },
  },
  {
    id: 'Throttled',
    title: '10% of all calls throttled',
    rate: RATE,
    faults: throttledCalls,
    bounds: { p99Ms: 3_000 },
  },
  {
    id: 'ThrottledFast',
    title: '10% of all calls throttled, at 300 items a second',
    rate: 300,
    faults: throttledCalls,
    bounds: { p99Ms: 3_000 },
  },
];
