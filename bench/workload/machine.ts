import type { CancelTimer, Clock } from 'stepfunctions-emulator';
import type { Millis } from '../../statemachine/times.ts';

interface Standstill {
  readonly endedAt: Millis;
  readonly ms: number;
}

const SAMPLE_MS = 100;
/** A timer that is later than this shows that the process could not run (a standstill), milliseconds. */
const LATE_MS = 50;
/** Shortest standstill that may cause a missed tick or a late sweep, milliseconds. */
const MISSED_TICK_MS = 1_000;
/** After a missed tick, items that are due within this time may be late: a tick deletes items that expire up to two minutes later. */
const EFFECT_MS = 120_000;

/** Records when this process could not run. The record uses no data of the sweep, because a slow sweep is no excuse for a late deletion. */
export class MachineWatch {
  readonly #clock: Clock;
  readonly #standstills: Standstill[] = [];
  #sampledAt: number;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sampledAt = clock.now();
    const again = () => {
      this.#cancel = clock.schedule(SAMPLE_MS, again);
      this.#sample();
    };
    this.#cancel = clock.schedule(SAMPLE_MS, again);
  }

  stop(): void {
    if (this.#cancel !== undefined) this.#sample();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  get stoodStillMs(): number {
    return this.#standstills.reduce((sum, { ms }) => sum + ms, 0);
  }

  /** The longest standstill that overlaps the time between `from` and `to` (epoch milliseconds), milliseconds. */
  longestStandstillMs(from: number, to: number): number {
    return Math.max(0, ...this.#within(from, to).map(({ ms }) => ms));
  }

  /**
   * @param due time when the item was due, epoch milliseconds
   * @param lateMs delay of the deletion after the latest correct time
   */
  excuses(due: number, cameAt: number, lateMs: number): boolean {
    const near = this.#within(due - EFFECT_MS, cameAt);
    return near.some(({ ms }) => ms >= MISSED_TICK_MS) || lateMs <= near.reduce((sum, { ms }) => sum + ms, 0);
  }

  #within(from: number, to: number): readonly Standstill[] {
    return this.#standstills.filter(({ endedAt, ms }) => endedAt >= from && endedAt - ms <= to);
  }

  #sample(): void {
    const now = this.#clock.now();
    const passed = now - this.#sampledAt;
    if (passed > SAMPLE_MS + LATE_MS) this.#standstills.push({ endedAt: now, ms: passed - SAMPLE_MS });
    this.#sampledAt = now;
  }
}
