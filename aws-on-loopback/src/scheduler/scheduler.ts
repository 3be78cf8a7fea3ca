import type { Clock } from 'stepfunctions-emulator';
import { ScheduleError } from '../errors.ts';
import type { ScheduleResource } from './schedule.ts';
import { type Occurrences, parseScheduleExpression } from './schedule-expression.ts';

/** One invocation of a schedule's target. */
export interface Firing {
  readonly schedule: ScheduleResource;
  /** Time of the occurrence, epoch milliseconds; always a whole second. */
  readonly scheduledTime: number;
  readonly executionId: string;
  /** The target's input with every placeholder replaced. */
  readonly input: string;
}

/**
 * Delays at which one occurrence of a schedule is delivered, milliseconds, one for each invocation. `[0]` is once and in time, `[]` skips
 * it, `[0, 12000]` fires twice. AWS fires anywhere in the minute, at least once.
 */
export type Deliveries = (schedule: ScheduleResource, scheduledTime: number) => readonly number[];

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly schedules: readonly ScheduleResource[];
  /** Starts the target. Its errors go to {@link onError}; there is no retry. */
  readonly fire: (firing: Firing) => unknown;
  readonly onError: (error: unknown, firing: Firing) => void;
  /** @default every occurrence once and in time */
  readonly deliveries?: Deliveries | undefined;
}

/** Interval of the check that notices a changed wall clock or a machine that slept. */
const CHECK_INTERVAL_MS = 1_000;

/** A schedule and its progress. */
interface Entry {
  schedule: ScheduleResource;
  occurrences: Occurrences;
  /** The previous occurrence, which does not fire again when the clock is set back to shortly before it. */
  fired: number | undefined;
  /** Fires when the time has come, otherwise continues to wait. */
  check: () => void;
  /** Cancels the wait for the next occurrence. */
  stopWaiting: () => void;
  /** Number of the current wait: a wait that was cancelled while it fired does not continue. */
  wait: number;
}

/** EventBridge Scheduler: fires schedules by a clock, with the placeholders of their inputs replaced. */
export class LocalScheduler {
  readonly #options: SchedulerOptions;
  /** Schedules by ARN. */
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Cancels all deliveries that are pending. */
  readonly #pending = new Set<() => void>();
  #running = false;
  #executions = 0;

  /**
   * Checks every schedule; {@link start} fires them.
   *
   * @throws {ScheduleError} for an expression, time zone or input that isn't understood
   */
  constructor(options: SchedulerOptions) {
    this.#options = options;
    const start = options.clock.now();
    this.#entries = new Map(
      options.schedules.map(schedule => [
        schedule.arn,
        {
          schedule,
          occurrences: readSchedule(schedule, start),
          fired: undefined,
          check: () => {},
          stopWaiting: () => {},
          wait: 0,
        },
      ]),
    );
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    for (const entry of this.#entries.values()) this.#await(entry);
  }

  /** Stops all schedules. Safe to call more than once. */
  stop(): void {
    this.#running = false;
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }

  /** The current schedules. */
  get schedules(): readonly ScheduleResource[] {
    return [...this.#entries.values()].map(({ schedule }) => schedule);
  }

  /**
   * Replaces the schedule with this ARN; pending late deliveries are still made.
   * @throws {ScheduleError} and leaves it as it was, for what isn't understood, or an ARN that no schedule has
   */
  update(schedule: ScheduleResource): void {
    const entry = this.#entries.get(schedule.arn);
    if (entry === undefined) {
      throw new ScheduleError(
        `${schedule.arn}: expected the ARN of a schedule that is there, got another one`,
      );
    }
    const occurrences = readSchedule(schedule, this.#options.clock.now());
    entry.stopWaiting();
    // A timer fires some milliseconds late: check first, so that an occurrence that was due is not lost.
    if (this.#running) entry.check();
    entry.stopWaiting();
    entry.occurrences = occurrences;
    entry.schedule = schedule;
    if (this.#running) this.#await(entry);
  }

  /** Next occurrence of each enabled schedule, epoch milliseconds. */
  upcoming(): { schedule: ScheduleResource; at: number | undefined }[] {
    const now = this.#options.clock.now();
    return [...this.#entries.values()]
      .filter(({ schedule }) => schedule.enabled)
      .map(({ schedule, occurrences }) => ({ schedule, at: occurrences.next(now) }));
  }

  /**
   * Waits for the next occurrence, delivers it, and continues with the one after it. When the clock is set back, the new time counts:
   * otherwise no sweep would start until the old time is reached again. After a jump ahead, as when a laptop slept, the missed occurrences
   * are skipped instead of fired in a burst.
   */
  #await(entry: Entry): void {
    const { schedule, occurrences, fired } = entry;
    entry.wait += 1;
    const { wait } = entry;
    entry.check = () => {};
    if (!schedule.enabled) return;
    const { clock } = this.#options;
    const nextAfter = (time: number) => {
      const next = occurrences.next(time);
      return next === undefined || next !== fired ? next : occurrences.next(next);
    };
    let checked = clock.now();
    let scheduledTime = nextAfter(checked);
    const check = () => {
      const now = clock.now();
      if (now < checked) scheduledTime = nextAfter(now);
      checked = now;
      if (scheduledTime === undefined) return;
      if (now < scheduledTime) {
        entry.stopWaiting = this.#after(Math.min(scheduledTime - now, CHECK_INTERVAL_MS), check);
        return;
      }
      entry.fired = scheduledTime;
      this.#deliver(schedule, scheduledTime);
      // The fired target may have stopped the scheduler, or changed the schedule.
      if (this.#running && entry.wait === wait) this.#await(entry);
    };
    entry.check = check;
    check();
  }

  #deliver(schedule: ScheduleResource, scheduledTime: number): void {
    const late = this.#options.clock.now() - scheduledTime;
    for (const delay of this.#options.deliveries?.(schedule, scheduledTime) ?? [0]) {
      if (!this.#running) return; // The fired target may have stopped the scheduler.
      if (delay <= late) this.#fire(schedule, scheduledTime);
      else this.#after(delay - late, () => this.#fire(schedule, scheduledTime));
    }
  }

  /** @returns what takes it back */
  #after(ms: number, action: () => void): () => void {
    const cancel = this.#options.clock.schedule(ms, () => {
      this.#pending.delete(cancel);
      action();
    });
    this.#pending.add(cancel);
    return () => {
      cancel();
      this.#pending.delete(cancel);
    };
  }

  #fire(schedule: ScheduleResource, scheduledTime: number): void {
    this.#executions += 1;
    const executionId = this.#executions.toString(16).padStart(16, '0');
    const input = fillIn(schedule, scheduledTime, executionId);
    const firing: Firing = { schedule, scheduledTime, executionId, input };
    void (async () => {
      try {
        await this.#options.fire(firing);
      } catch (error) {
        this.#options.onError(error, firing);
      }
    })();
  }
}

/**
 * Parses a schedule and checks the placeholders of its input.
 * @param start when rates begin to count, epoch milliseconds
 * @throws {ScheduleError} for an expression, time zone or placeholder that isn't understood
 */
export function readSchedule(schedule: ScheduleResource, start: number): Occurrences {
  refuseUnknownPlaceholders(schedule);
  const { expression, timezone, address, startDate, endDate } = schedule;
  // A rate counts from its start date; cron does not depend on it.
  const occurrences = parseScheduleExpression(expression, timezone, startDate ?? start, address);
  return {
    next(after) {
      const next = occurrences.next(startDate === undefined ? after : Math.max(after, startDate - 1));
      return next === undefined || (endDate !== undefined && next > endDate) ? undefined : next;
    },
  };
}

/** Formats a time as Scheduler does: ISO-8601 in UTC, without milliseconds. */
export function schedulerTime(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

// https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
const PLACEHOLDERS: Readonly<
  Record<string, (schedule: ScheduleResource, time: number, executionId: string) => string>
> = {
  'aws.scheduler.schedule-arn': schedule => schedule.arn,
  'aws.scheduler.scheduled-time': (_, time) => schedulerTime(time),
  'aws.scheduler.execution-id': (_, __, executionId) => executionId,
  // Always the first attempt: a start that fails is not retried here.
  'aws.scheduler.attempt-number': () => '1',
};

const PLACEHOLDER = /<(aws\.[^<>]*)>/g;

function fillIn(schedule: ScheduleResource, time: number, executionId: string): string {
  return (schedule.input ?? '{}').replace(
    PLACEHOLDER,
    (whole, name: string) => PLACEHOLDERS[name]?.(schedule, time, executionId) ?? whole,
  );
}

function refuseUnknownPlaceholders({ input = '', address }: ScheduleResource): void {
  for (const [whole, name] of input.matchAll(PLACEHOLDER)) {
    if (name !== undefined && name in PLACEHOLDERS) continue;
    throw new ScheduleError(
      `${address}.target.input: expected one of ${Object.keys(PLACEHOLDERS).join(', ')} as a placeholder, got "${whole}"`,
    );
  }
  // Fn.jsonencode escapes "<", and Scheduler then does not replace the placeholder.
  if (/\\u003caws\.scheduler/i.test(input)) {
    throw new ScheduleError(
      `${address}.target.input: expected "<aws.scheduler.…>" as written, got it escaped as "\\u003c"; Scheduler wouldn't replace it: use JSON.stringify instead of Fn.jsonencode`,
    );
  }
}
