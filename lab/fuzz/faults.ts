import type { RandomSource } from 'stepfunctions-emulator';
import { type ChooseFault, FAULTS, type FaultRates, SeededFaults } from '../faults/index.ts';

/** Faults, in groups that can be disabled one by one. */
export const FAULT_GROUPS = {
  busy: 'calls refused as throttled or with 5xx, batches of which some keys are left',
  refused: 'single keys that DynamoDB will not delete',
  cut: 'connections cut before a call took effect or after it, and answers that come too late',
  outages: 'DynamoDB, S3 or the destination of events refuses everything for some seconds',
  zombies: 'calls that were given up and take effect later',
  kills: 'functions that die, hang or lose their answer, and executions that are stopped',
  ticks: 'ticks that come late, twice or never',
  lag: 'an index that is up to five seconds behind, and answers with former entries',
  adversary: 'items that change between the read and the delete',
} as const;

export type FaultGroup = keyof typeof FAULT_GROUPS;

export const ALL_FAULTS = Object.keys(FAULT_GROUPS) as FaultGroup[];

const RATES: Readonly<Partial<Record<FaultGroup, FaultRates>>> = {
  busy: { throttled: 0.02, unavailable: 0.01, unprocessed: 0.04 },
  refused: { refusedKeys: 0.005 },
  cut: { cutBefore: 0.01, cutAfter: 0.015, slow: 0.01 },
};

/** Share of the calls that time out and take effect later, and the delay after sending, milliseconds. */
const ZOMBIES = { rate: 0.01, fromMs: 2_000, upToMs: 25_000 } as const;

const FUNCTION_FATES = [
  { name: 'killed', rate: 0.01 },
  { name: 'answerLost', rate: 0.005 },
  { name: 'hung', rate: 0.005 },
] as const;

export type FunctionFate = (typeof FUNCTION_FATES)[number]['name'];

const TICKS = { late: 0.3, doubled: 0.15, skipped: 0.1, stopped: 0.05 } as const;
const INDEX_LAG = { rate: 0.1, upToMs: 5_000 } as const;
const ADVERSARY_RATE = 0.03;

/** Ranges of the time for which a service works, and of an outage, milliseconds. */
const OUTAGES = { afterMs: [10_000, 90_000], lastMs: [3_000, 25_000] } as const;

/** Draws the faults, from one seed. None occurs after they were ended. */
export class Faults {
  readonly counts = new Map<string, number>();
  readonly choose: ChooseFault;
  readonly #random: RandomSource;
  readonly #groups: ReadonlySet<FaultGroup>;
  readonly #areOver: () => boolean;
  /** The last outage of each service. */
  readonly #outages = new Map<string, { readonly from: number; readonly to: number }>();

  constructor(options: {
    readonly seed: number;
    readonly random: RandomSource;
    readonly groups: readonly FaultGroup[];
    readonly areOver: () => boolean;
  }) {
    const { seed, random, groups, areOver } = options;
    this.#random = random;
    this.#groups = new Set(groups);
    this.#areOver = areOver;
    const rates = Object.assign({}, ...groups.map(group => RATES[group] ?? {}));
    const seeded = new SeededFaults({ seed, rates });
    this.choose = call => {
      if (areOver()) return undefined;
      const fault = seeded.choose(call);
      if (fault !== undefined) this.#count(FAULTS[fault.name]);
      return fault;
    };
  }

  /** Whether a service refuses everything at a moment, epoch milliseconds. */
  isOut(service: string, nowMs: number): boolean {
    if (!this.#groups.has('outages') || this.#areOver()) return false;
    let outage = this.#outages.get(service) ?? { from: nowMs, to: nowMs };
    while (outage.to <= nowMs) {
      const from = outage.to + this.between(...OUTAGES.afterMs);
      outage = { from, to: from + this.between(...OUTAGES.lastMs) };
    }
    this.#outages.set(service, outage);
    const isOut = outage.from <= nowMs;
    if (isOut) this.#count('calls refused while a service was out');
    return isOut;
  }

  /** Time after which an abandoned call takes effect, milliseconds; undefined for a call that is not abandoned. */
  zombieMs(): number | undefined {
    const isOne = this.#happens('zombies', ZOMBIES.rate, 'calls that took effect after they were given up');
    return isOne ? this.between(ZOMBIES.fromMs, ZOMBIES.upToMs) : undefined;
  }

  functionFate(): FunctionFate | undefined {
    return FUNCTION_FATES.find(({ name, rate }) => this.#happens('kills', rate, `functions ${name}`))?.name;
  }

  /** Draws the delay of each execution of a tick, milliseconds, and the time at which it is stopped, if any. */
  tick(): { readonly lateMs: number; readonly stoppedAfterMs: number | undefined }[] {
    if (this.#happens('ticks', TICKS.skipped, 'ticks that never came')) return [];
    const executions = this.#happens('ticks', TICKS.doubled, 'ticks that came twice') ? 2 : 1;
    return Array.from({ length: executions }, () => ({
      lateMs: this.#happens('ticks', TICKS.late, 'ticks that came late') ? this.between(1_000, 59_000) : 0,
      stoppedAfterMs: this.#happens('kills', TICKS.stopped, 'executions that were stopped')
        ? this.between(1_000, 110_000)
        : undefined,
    }));
  }

  indexLagMs(): number {
    return this.#happens('lag', INDEX_LAG.rate, 'index entries that came late')
      ? this.between(1, INDEX_LAG.upToMs)
      : 0;
  }

  /** Whether an application changes an item just before it is deleted. */
  interferes(): boolean {
    return this.#happens('adversary', ADVERSARY_RATE, 'items changed just before their delete');
  }

  between(from: number, upTo: number): number {
    return Math.floor(from + this.#random.next() * (upTo - from));
  }

  #happens(group: FaultGroup, rate: number, what: string): boolean {
    if (!this.#groups.has(group) || this.#areOver() || this.#random.next() >= rate) return false;
    this.#count(what);
    return true;
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
