import type { Clock } from 'stepfunctions-emulator';

export interface ScheduleResource {
  readonly address: string;
  readonly name: string;
  readonly arn: string;
  readonly enabled: boolean;
  readonly targetArn: string;
  readonly roleArn: string;
  readonly input: string;
}

export interface Firing {
  readonly schedule: ScheduleResource;
  /** The minute for which the schedule fires, epoch milliseconds. */
  readonly scheduledTime: number;
  readonly input: string;
}

export interface SchedulesOptions {
  readonly clock: Clock;
  readonly schedules: readonly ScheduleResource[];
  readonly fire: (firing: Firing) => unknown;
  readonly onError: (error: unknown, firing: Firing) => void;
  readonly isNeeded?: ((firing: Firing) => Promise<boolean>) | undefined;
}

/**
 * EventBridge Scheduler replaces this text with the time for which the schedule fires, ISO-8601. Source: Scheduler User Guide, "Adding
 * context attributes".
 */
export const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

const MINUTE_MS = 60_000;

const minuteAfter = (time: number): number => (Math.floor(time / MINUTE_MS) + 1) * MINUTE_MS;

export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #enabled: readonly ScheduleResource[];
  #cancel: () => void = () => {};
  #running = false;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.#enabled = options.schedules.filter(({ enabled }) => enabled);
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#await();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  upcoming(): { schedule: ScheduleResource; at: number }[] {
    const at = minuteAfter(this.#options.clock.now());
    return this.#enabled.map(schedule => ({ schedule, at }));
  }

  /** Fires the schedules every minute. If the computer slept for several minutes, the schedules fire only for the first of them. */
  #await(): void {
    const { clock } = this.#options;
    const next = minuteAfter(clock.now());
    this.#cancel = clock.schedule(next - clock.now(), () => {
      this.#await();
      for (const schedule of this.#enabled) void this.#fire(schedule, next);
    });
  }

  async #fire(schedule: ScheduleResource, scheduledTime: number): Promise<void> {
    const { clock, isNeeded, fire, onError } = this.#options;
    // EventBridge Scheduler's timestamps have no fraction of a second, so `.000` is removed.
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
