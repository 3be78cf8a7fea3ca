import type { Clock } from 'stepfunctions-emulator';

/** A schedule that fires at each full minute. */
export interface ScheduleResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly enabled: boolean;
  readonly targetArn: string;
  readonly roleArn: string;
  /** JSON with {@link SCHEDULED_TIME} in it. */
  readonly input: string;
}

/** One invocation of a schedule's target. */
export interface Firing {
  readonly schedule: ScheduleResource;
  /** The minute, epoch milliseconds. */
  readonly scheduledTime: number;
  /** The target's input with its placeholder replaced. */
  readonly input: string;
}

/**
 * Delays at which one minute of a schedule is delivered, milliseconds, one for each invocation. `[0]` is once and in time, `[]` skips
 * it, `[0, 12000]` fires twice. AWS fires anywhere in the minute, at least once.
 */
export type Deliveries = (schedule: ScheduleResource, scheduledTime: number) => readonly number[];

export interface SchedulesOptions {
  readonly clock: Clock;
  readonly schedules: readonly ScheduleResource[];
  /** Starts the target. Its errors go to {@link onError}; there is no retry. */
  readonly fire: (firing: Firing) => unknown;
  readonly onError: (error: unknown, firing: Firing) => void;
  /** @default every minute once and in time */
  readonly deliveries?: Deliveries | undefined;
  /** Whether the target has anything to do; the clock stands still meanwhile. @default always */
  readonly isNeeded?: ((firing: Firing) => Promise<boolean>) | undefined;
  /** Milliseconds between two looks at a clock that somebody may set. @default 1000 */
  readonly checkMs?: number | undefined;
}

/** Scheduler replaces it by the minute. Source: EventBridge Scheduler User Guide, "Adding context attributes". */
export const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

const MINUTE_MS = 60_000;
/** Interval of the check that notices a changed wall clock or a machine that slept. */
const CHECK_INTERVAL_MS = 1_000;

const minuteAfter = (time: number): number => (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;

/** Fires the schedules of a stack by a clock, each in the second of its minute. */
export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #enabled: readonly ScheduleResource[];
  /** Cancels all timers. */
  readonly #pending = new Set<() => void>();
  #running = false;
  /** The previous minute, which does not fire again when the clock is set back to shortly before it. */
  #fired: number | undefined;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.#enabled = options.schedules.filter(({ enabled }) => enabled);
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#await();
  }

  /** Safe to call more than once. */
  stop(): void {
    this.#running = false;
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }

  /** Next minute of each enabled schedule, epoch milliseconds. */
  upcoming(): { schedule: ScheduleResource; at: number }[] {
    const at = minuteAfter(this.#options.clock.now());
    return this.#enabled.map(schedule => ({ schedule, at }));
  }

  /**
   * Waits for the next minute, and delivers it. When the clock is set back, the new time counts: otherwise no sweep would start until the
   * old time is reached again. After a jump ahead, as when a laptop slept, the missed minutes are skipped instead of fired in a burst.
   */
  #await(): void {
    const { clock, checkMs = CHECK_INTERVAL_MS } = this.#options;
    const nextAfter = (time: number) => {
      const next = minuteAfter(time);
      return next === this.#fired ? next + MINUTE_MS : next;
    };
    let checked = clock.now();
    let next = nextAfter(checked);
    const check = () => {
      const now = clock.now();
      if (now < checked) next = nextAfter(now);
      checked = now;
      if (now < next) return this.#after(Math.min(next - now, checkMs), check);
      this.#fired = next;
      for (const schedule of this.#enabled) this.#deliver(schedule, next);
      // The fired target may have stopped it.
      if (this.#running) this.#await();
    };
    check();
  }

  #deliver(schedule: ScheduleResource, scheduledTime: number): void {
    const late = this.#options.clock.now() - scheduledTime;
    for (const delay of this.#options.deliveries?.(schedule, scheduledTime) ?? [0]) {
      if (!this.#running) return;
      if (delay <= late) void this.#fire(schedule, scheduledTime);
      else this.#after(delay - late, () => void this.#fire(schedule, scheduledTime));
    }
  }

  #after(ms: number, action: () => void): void {
    const cancel = this.#options.clock.schedule(ms, () => {
      this.#pending.delete(cancel);
      action();
    });
    this.#pending.add(cancel);
  }

  async #fire(schedule: ScheduleResource, scheduledTime: number): Promise<void> {
    const { clock, isNeeded, fire, onError } = this.#options;
    // Scheduler's times have no milliseconds.
    const time = new Date(scheduledTime).toISOString().replace('.000Z', 'Z');
    const firing = { schedule, scheduledTime, input: schedule.input.replaceAll(SCHEDULED_TIME, time) };
    try {
      const isIdle = isNeeded !== undefined && !(await clock.busy(() => isNeeded(firing)));
      if (!isIdle && this.#running) fire(firing);
    } catch (error) {
      onError(error, firing);
    }
  }
}
