import type { CancelTimer, Clock } from 'stepfunctions-emulator';
import type { Millis } from '../../statemachine/times.ts';

interface Standstill {
  readonly endedAt: Millis;
  readonly ms: number;
}

const SAMPLE_MS = 100;
/** Delay above which a timer is late for a machine that is not busy, milliseconds. */
const LATE_MS = 50;
/** After a standstill of this length, the sweep may have missed a tick, or may have waited for too long. */
const MISSED_TICK_MS = 1_000;
/** Time for which a missed tick makes items late. It owned the minute after its own; the second tick after it sweeps that minute. */
const EFFECT_MS = 120_000;

/**
 * Records when a machine was too slow to keep the promises: when it slept or was suspended, or when other work kept this process from
 * running. It uses no data of the sweep, whose own slowness must not excuse it.
 */
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

  /** The longest standstill that overlaps a span, milliseconds. @param from epoch milliseconds */
  longestStandstillMs(from: number, to: number): number {
    return Math.max(0, ...this.#within(from, to).map(({ ms }) => ms));
  }

  /**
   * Whether the machine may be the reason why something that was due came late.
   * @param due epoch milliseconds
   * @param lateMs by how much it was later than allowed
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
