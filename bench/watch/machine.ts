import { type CpuInfo, cpus } from 'node:os';
import { type CancelTimer, type Clock, realClock } from 'stepfunctions-emulator';

/** The clocks of a machine. */
export interface MachineTime {
  /** Epoch milliseconds; jumps when the clock is set, and after the machine slept. */
  wall(): number;
  /** Milliseconds since a fixed moment; never set. */
  monotonic(): number;
  /** Calls back repeatedly, as close to every `ms` milliseconds as the machine can. */
  every(ms: number, callback: () => void): CancelTimer;
  /** Times of all processors; undefined when unknown. */
  processors(): readonly Pick<CpuInfo, 'times'>[] | undefined;
}

const realTime: MachineTime = {
  wall: Date.now,
  monotonic: () => performance.now(),
  every(ms, callback) {
    // Not a wall-clock timer, which stands still when the clock is set back.
    const timer = setInterval(callback, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  processors: cpus,
};

/** The time of this machine, or of a simulated one in a test. */
export function machineTimeOf(clock: Clock): MachineTime {
  if (clock === realClock) return realTime;
  return {
    wall: () => clock.now(),
    monotonic: () => clock.now(),
    every(ms, callback) {
      let cancel = clock.schedule(ms, function again() {
        cancel = clock.schedule(ms, again);
        callback();
      });
      return () => cancel();
    },
    processors: () => undefined,
  };
}

/** Reasons why a machine did not run our work, or ran it slower than usual. */
export type Slowness = 'stoodStill' | 'busy' | 'slowAnswers';

/** A span of time, epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The state of a machine while it was watched, milliseconds. */
export interface MachineReport extends Readonly<Record<`${Slowness}Ms`, number>> {
  /** Time by which the wall clock was set back, milliseconds. */
  readonly clockSetBackMs: number;
}

const SAMPLE_MS = 100;
/** Delay above which a timer is late for a machine that is not busy, milliseconds. */
const LATE_MS = 50;
/** Corrections of a clock below this value are ordinary, milliseconds. */
const SET_MS = 1_000;
const PROCESSORS_SAMPLE_MS = 1_000;
/** Share of a busy second that counts as lost, because the second is shared. So it excuses twice the usual lag. */
const BUSY_COUNTS = 0.5;
/** Utilization of all processors from which on work must wait. */
const BUSY_SHARE = 0.9;
/** Limit above which an answer of DynamoDB Local is slow for a machine that is not busy, milliseconds. */
const USUAL_ANSWER_MS = 200;
/** Time that a machine may lose without the sweep missing a tick. */
const MISSED_TICK_MS = 1_000;
const MINUTE_MS = 60_000;
/** Longest wait of a child: for its minute, or from one expiry to the next, milliseconds. */
const MAX_WAIT_MS = MINUTE_MS;

/**
 * Records when a machine was too slow to keep the promises: when it slept or was suspended, when other work used it, or when DynamoDB Local
 * answered slowly. It uses no data of the sweep, whose own slowness must not excuse it.
 *
 * The histogram of `perf_hooks` has the same delays without their times, and a deletion can only be excused by what
 * happened while it was due.
 */
export class MachineWatch {
  readonly #time: MachineTime;
  readonly #lost: Readonly<Record<Slowness, Span[]>> = { stoodStill: [], busy: [], slowAnswers: [] };
  readonly #cancels: CancelTimer[];
  #clockSetBackMs = 0;
  #wall: number;
  #monotonic: number;

  /** Watches from now on. */
  constructor(time: MachineTime) {
    this.#time = time;
    this.#wall = time.wall();
    this.#monotonic = time.monotonic();
    this.#cancels = [time.every(SAMPLE_MS, () => this.#sample()), this.#watchProcessors()];
  }

  /** Safe to call more than once. */
  stop(): void {
    if (this.#cancels.length > 0) this.#sample();
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  /** Records DynamoDB Local's answer to one of our requests, epoch milliseconds. */
  readonly answered = ({ from, to }: Span): void => {
    if (to - from > USUAL_ANSWER_MS) this.#lost.slowAnswers.push({ from: from + USUAL_ANSWER_MS, to });
  };

  report(): MachineReport {
    return {
      stoodStillMs: this.stoodStillMs(),
      busyMs: lengthOf(inOrder(this.#lost.busy)),
      slowAnswersMs: lengthOf(inOrder(this.#lost.slowAnswers)),
      clockSetBackMs: Math.round(this.#clockSetBackMs),
    };
  }

  /** Time for which the machine stood still in a span, milliseconds. @default in the whole run */
  stoodStillMs(span?: Span): number {
    return lengthOf(inOrder(this.#lost.stoodStill), span);
  }

  /**
   * Calculates for how many milliseconds of a span the sweep could not work, or missed its tick, as far as known.
   * @param ticks start time of each tick by its scheduled time; epoch milliseconds
   */
  lost(ticks: ReadonlyMap<number, number>): (span: Span) => number {
    const { stoodStill, busy, slowAnswers } = this.#lost;
    const all = inOrder([...stoodStill, ...slowAnswers, ...this.#withoutTick(ticks)]);
    const orBusy = inOrder([...all, ...busy]);
    return span => {
      const length = lengthOf(all, span);
      return length + BUSY_COUNTS * (lengthOf(orBusy, span) - length) + this.#sleptThroughBy(span);
    };
  }

  #sample(): void {
    const [wall, monotonic] = [this.#time.wall(), this.#time.monotonic()];
    const passed = wall - this.#wall;
    const setBack = monotonic - this.#monotonic - passed;
    if (setBack > SET_MS) this.#clockSetBackMs += setBack;
    if (passed > SAMPLE_MS + LATE_MS) {
      this.#lost.stoodStill.push({ from: this.#wall + SAMPLE_MS, to: wall });
    }
    this.#wall = wall;
    this.#monotonic = monotonic;
  }

  #watchProcessors(): CancelTimer {
    let before = { from: this.#time.wall(), ...worked(this.#time.processors()) };
    return this.#time.every(PROCESSORS_SAMPLE_MS, () => {
      const now = { from: this.#time.wall(), ...worked(this.#time.processors()) };
      const all = now.all - before.all;
      if (all > 0 && (now.working - before.working) / all >= BUSY_SHARE) {
        this.#lost.busy.push({ from: before.from, to: now.from });
      }
      before = now;
    });
  }

  /**
   * Rest of the standstills that ended shortly before a span or in it, outside the span. Timers may not count the time that a machine
   * sleeps: a wait then ends later by that time.
   */
  #sleptThroughBy(span: Span): number {
    const slept = this.#lost.stoodStill.filter(
      ({ from, to }) => to - from >= MISSED_TICK_MS && to <= span.to && to + MAX_WAIT_MS >= span.from,
    );
    return lengthOf(slept) - lengthOf(slept, span);
  }

  /**
   * Excuses for ticks that fell into a standstill. A late tick looked back late. A missed tick owned the minute after its own, for which no
   * execution waited: that minute is swept at its end.
   */
  #withoutTick(started: ReadonlyMap<number, number>): Span[] {
    return this.#lost.stoodStill
      .filter(({ from, to }) => to - from >= MISSED_TICK_MS)
      .flatMap(({ from, to }) => {
        const ticks: Span[] = [];
        for (let tick = Math.ceil(from / MINUTE_MS) * MINUTE_MS; tick <= to; tick += MINUTE_MS) {
          ticks.push({ from: tick, to: started.get(tick) ?? tick + 2 * MINUTE_MS });
        }
        return ticks;
      });
  }
}

function worked(processors: ReturnType<MachineTime['processors']> = []): { all: number; working: number } {
  const all = sum(processors.flatMap(({ times }) => Object.values(times)));
  return { all, working: all - sum(processors.map(({ times }) => times.idle)) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function inOrder(spans: readonly Span[]): Span[] {
  return [...spans].sort((a, b) => a.from - b.from);
}

const ALL_TIME: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Time within a span that at least one of some spans covers, milliseconds. @param spans sorted by their beginning */
function lengthOf(spans: readonly Span[], within: Span = ALL_TIME): number {
  let length = 0;
  let covered = within.from;
  for (const { from, to } of spans) {
    const [start, end] = [Math.max(from, covered), Math.min(to, within.to)];
    if (end <= start) continue;
    length += end - start;
    covered = end;
  }
  return Math.round(length);
}
