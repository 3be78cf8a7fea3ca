import type { CancelTimer, Clock } from 'stepfunctions-emulator';
import type { Millis } from '../../statemachine/times.ts';

interface Standstill {
  readonly endedAt: Millis;
  readonly ms: number;
}

const SAMPLE_MS = 100;
/** A timer usually fires at most this late, milliseconds. If it fires later, the process could not run (a standstill). */
const LATE_MS = 50;
/** Shortest standstill that may cause a missed tick or a late sweep, milliseconds. */
const MISSED_TICK_MS = 1_000;
/** Items due up to this many milliseconds after a missed tick may be late: a tick deletes items that expire up to two minutes after it. */
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

  /** Milliseconds of the longest standstill that overlaps the span from `from` to `to` (epoch milliseconds); 0 without standstills. */
  longestStandstillMs(from: number, to: number): number {
    return Math.max(0, ...this.#within(from, to).map(({ ms }) => ms));
  }

  /**
   * Whether standstills explain a late deletion. `due` (of the item) and `cameAt` (of the deletion) are epoch milliseconds.
   * @param lateMs delay of the deletion beyond the promised lag
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
