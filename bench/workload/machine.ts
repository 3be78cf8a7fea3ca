import { type CpuInfo, cpus } from 'node:os';
import { type CancelTimer, type Clock, realClock } from 'stepfunctions-emulator';

/** How much of a run this machine could not work for it, milliseconds. */
export interface MachineReport {
  /** Time for which it, or this process, stood still. */
  readonly stoodStillMs: number;
  /** Time for which all its processors were busy. */
  readonly busyMs: number;
}

/** Time that the machine lost. */
interface Loss {
  /** When it ended, epoch milliseconds. */
  readonly at: number;
  readonly ms: number;
}

const SAMPLE_MS = 100;
/** Delay above which a timer is late for a machine that is not busy, milliseconds. */
const LATE_MS = 50;
const PROCESSORS_SAMPLE_MS = 1_000;
/** Utilization of all processors from which on work must wait. */
const BUSY_SHARE = 0.9;
/** Share of a busy second that is lost: the second is shared with other work. */
const BUSY_LOSES = 0.5;
/** A standstill of this length can let the sweep miss a tick, and its waits end late. */
const MISSED_TICK_MS = 1_000;
/** For how long a missed tick makes items late: it owned the minute after its own, which the next one but one sweeps. */
const EFFECT_MS = 120_000;

/**
 * Records when a machine was too slow to keep the promises: when it slept or was suspended, or when other work used it. It uses no data of
 * the sweep, whose own slowness must not excuse it.
 */
export class MachineWatch {
  readonly #clock: Clock;
  readonly #processors: () => readonly Pick<CpuInfo, 'times'>[];
  readonly #standstills: Loss[] = [];
  readonly #busy: Loss[] = [];
  readonly #cancels: CancelTimer[] = [];
  #sampledAt: number;

  /** @param processors times of all processors; nothing is known of a virtual clock's machine */
  constructor(
    clock: Clock,
    processors: () => readonly Pick<CpuInfo, 'times'>[] = clock === realClock ? cpus : () => [],
  ) {
    this.#clock = clock;
    this.#processors = processors;
    this.#sampledAt = clock.now();
    this.#every(SAMPLE_MS, () => this.#sample());
    let before = worked(processors());
    this.#every(PROCESSORS_SAMPLE_MS, () => {
      const now = worked(this.#processors());
      const isBusy = now.working - before.working >= BUSY_SHARE * (now.all - before.all);
      if (now.all > before.all && isBusy) this.#busy.push({ at: clock.now(), ms: PROCESSORS_SAMPLE_MS });
      before = now;
    });
  }

  /** Safe to call more than once. */
  stop(): void {
    if (this.#cancels.length > 0) this.#sample();
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  report(): MachineReport {
    return { stoodStillMs: sum(this.#standstills), busyMs: sum(this.#busy) };
  }

  /** The longest standstill that overlaps a span, milliseconds. @param from epoch milliseconds */
  longestStandstillMs(from: number, to: number): number {
    const those = this.#standstills.filter(({ at, ms }) => at >= from && at - ms <= to);
    return Math.max(0, ...those.map(({ ms }) => ms));
  }

  /**
   * Whether the machine may be the reason why something that was due came late.
   * @param due epoch milliseconds
   * @param lateMs by how much it was later than allowed
   */
  excuses(due: number, cameAt: number, lateMs: number): boolean {
    const from = due - EFFECT_MS;
    if (this.longestStandstillMs(from, cameAt) >= MISSED_TICK_MS) return true;
    const within = (losses: readonly Loss[]) => losses.filter(({ at }) => at >= from && at <= cameAt);
    return lateMs <= sum(within(this.#standstills)) + BUSY_LOSES * sum(within(this.#busy));
  }

  #sample(): void {
    const now = this.#clock.now();
    const passed = now - this.#sampledAt;
    if (passed > SAMPLE_MS + LATE_MS) this.#standstills.push({ at: now, ms: passed - SAMPLE_MS });
    this.#sampledAt = now;
  }

  #every(ms: number, callback: () => void): void {
    const index = this.#cancels.length;
    const again = () => {
      this.#cancels[index] = this.#clock.schedule(ms, again);
      callback();
    };
    this.#cancels.push(this.#clock.schedule(ms, again));
  }
}

function worked(processors: readonly Pick<CpuInfo, 'times'>[]): { all: number; working: number } {
  const all = processors.flatMap(({ times }) => Object.values(times)).reduce((total, ms) => total + ms, 0);
  return { all, working: processors.reduce((total, { times }) => total - times.idle, all) };
}

function sum(losses: readonly Loss[]): number {
  return losses.reduce((total, { ms }) => total + ms, 0);
}
