import type { FollowedEvents } from '../ledger/followers.ts';
import type { SweptItem, Tally } from '../ledger/tally.ts';
import { count, lagPercentiles, seconds } from '../report/numbers.ts';
import type { MachineReport, Span } from '../watch/machine.ts';
import { deletionTimeMs, looksDueBy, type Pace, type PlannedAt } from './deadline.ts';

/** `undecided`: the promise looks broken, but this machine may have been the cause; or nothing in the run could show it. */
export type Status = 'kept' | 'broken' | 'undecided';

/** A promise and its result, in items; for `nothingFailed` in failures. */
export interface Kept {
  readonly name: PromiseName;
  readonly status: Status;
  readonly expected: number;
  readonly got: number;
}

/** The observations of a run that has ended. */
export interface Seen {
  readonly tally: Tally;
  readonly punctuality: Punctuality;
  /** Contradictions between the table at the end and the ledger; a sentence each. */
  readonly contradictions: readonly string[];
  /** Executions that failed, starts that did not work; a sentence each. */
  readonly failures: readonly string[];
  /** Failures of executions during which this machine stood still; a sentence each. */
  readonly excusedFailures: readonly string[];
  readonly machine: MachineReport;
  /** The events of each pipe. */
  readonly events: readonly FollowedEvents[];
  /** Milliseconds from expiry to deletion, of every deleted item. */
  readonly lags: readonly number[];
  readonly promisedLagMs: number;
}

interface Promised {
  /** How many items, or failures, are expected and were seen, and the status if they differ; undefined if nothing is promised. */
  readonly held: (seen: Seen) => readonly [expected: number, got: number, ifNot?: Status] | undefined;
  /** Whether the promise is undecided if no item expired. @default false */
  readonly isOfExpired?: boolean;
  /** Describes how the promise was broken. */
  readonly otherwise: (kept: Pick<Kept, 'expected' | 'got'>, seen: Seen) => string | readonly string[];
}

/** The promises that a run checks. Scripts read these names in the output of `--json`. */
const PROMISES = {
  expiredDeleted: {
    isOfExpired: true,
    held: ({ tally }) => [tally.expired, tally.deleted],
    otherwise: ({ expected, got }) =>
      expected === 0
        ? 'nothing expired, so nothing was shown: take more --minutes or a higher --rate'
        : `${count(expected)} items expired, but ${count(got)} were deleted`,
  },
  goneInTime: {
    isOfExpired: true,
    held: ({ punctuality: { inTime, excused, late } }) => [
      inTime + excused + late,
      inTime,
      late > 0 ? 'broken' : 'undecided',
    ],
    otherwise: ({ expected }, { punctuality: { excused, late }, lags, promisedLagMs }) => {
      const tooLate = (some: number) =>
        `${count(some)} of ${count(expected)} deletions came too late (the longest of all ` +
        `${seconds(lagPercentiles(lags).max ?? 0)} after the expiry, promised are ${seconds(promisedLagMs)})`;
      return [
        ...(late > 0 ? [`${tooLate(late)}, and this machine had time for them`] : []),
        ...(excused > 0 ? [`${tooLate(excused)}, by no more than this machine was too slow`] : []),
      ];
    },
  },
  liveKept: {
    held: ({ tally }) => [0, tally.liveDeleted],
    otherwise: ({ got }) => `${count(got)} items were deleted while they were live`,
  },
  renewedKept: {
    held: ({ tally }) => [tally.renewed, tally.renewedKept],
    otherwise: ({ expected, got }) =>
      `${count(expected)} items were renewed in time, but ${count(got)} were kept`,
  },
  noneOverdue: {
    held: ({ tally }) => [0, tally.overdue],
    otherwise: ({ got }) => `${count(got)} items were overdue at the end`,
  },
  tableAsWritten: {
    held: ({ contradictions }) => [0, contradictions.length],
    otherwise: (_kept, { contradictions }) => contradictions,
  },
  nothingFailed: {
    held: ({ failures, excusedFailures }) => [
      0,
      failures.length + excusedFailures.length,
      failures.length > 0 ? 'broken' : 'undecided',
    ],
    otherwise: (_kept, { failures, excusedFailures }) => [...failures, ...excusedFailures],
  },
  eventOfEach: {
    isOfExpired: true,
    held: ({ tally, events }) =>
      ifAny(events, [tally.deleted * events.length, sum(events, ({ items }) => items)]),
    otherwise: ({ got }, { tally: { expired, deleted } }) =>
      // Another line says that no item expired.
      expired === 0
        ? []
        : `${count(deleted)} items expired and were deleted, but events of ${count(got)} came`,
  },
  eventsOnlyOfExpired: {
    held: ({ events }) => {
      const strays = sum(events, each => each.strays);
      const doubtful = sum(events, each => each.doubtful);
      return ifAny(events, [0, strays + doubtful, strays > 0 ? 'broken' : 'undecided']);
    },
    otherwise: (_kept, { events }) => {
      const strays = sum(events, each => each.strays);
      const doubtful = sum(events, each => each.doubtful);
      return [
        ...(strays > 0 ? [`${count(strays)} items became events that had not expired`] : []),
        ...(doubtful > 0
          ? [
              `${count(doubtful)} items became events that the application deleted before they expired: this machine read the table's stream too late to tell`,
            ]
          : []),
      ];
    },
  },
  eventsAsWritten: {
    held: ({ events }) => ifAny(events, [0, sum(events, ({ altered }) => altered)]),
    otherwise: ({ got }) => `the events of ${count(got)} items say something else than was last written`,
  },
} as const satisfies Readonly<Record<string, Promised>>;

export type PromiseName = keyof typeof PROMISES;

/** Of events nothing is promised without a pipe. */
function ifAny(
  events: readonly FollowedEvents[],
  held: NonNullable<ReturnType<Promised['held']>>,
): ReturnType<Promised['held']> {
  return events.length > 0 ? held : undefined;
}

/** Adds up a count of all pipes. */
export function sum(events: readonly FollowedEvents[], countOf: (each: FollowedEvents) => number): number {
  return events.reduce((total, each) => total + countOf(each), 0);
}

/** Compares a run with the promises. */
export function holdAgainstPromises(seen: Seen): Kept[] {
  return (Object.keys(PROMISES) as PromiseName[]).flatMap((name): Kept[] => {
    const { held, isOfExpired }: Promised = PROMISES[name];
    const counts = held(seen);
    if (counts === undefined) return [];
    const [expected, got, ifNot = 'broken'] = counts;
    // After the clock was set back, nothing can be judged as early, late or overdue.
    const otherwise = seen.machine.clockSetBackMs > 0 ? 'undecided' : ifNot;
    const showsNothing = isOfExpired === true && seen.tally.expired === 0;
    const status = showsNothing ? 'undecided' : expected === got ? 'kept' : otherwise;
    return [{ name, expected, got, status }];
  });
}

/** The sentences for a promise that was not kept. */
export function notKept(kept: Kept, seen: Seen): readonly string[] {
  const { otherwise }: Promised = PROMISES[kept.name];
  return [otherwise(kept, seen)].flat();
}

/** How many deletions came in time. */
export interface Punctuality {
  readonly inTime: number;
  /** Deletions that were late by no more than the time that the machine lost while they were due. */
  readonly excused: number;
  readonly late: number;
}

export interface PunctualityOptions {
  readonly pace: Pace;
  /** Items that expire in a second. */
  readonly rate: number;
  readonly plannedAt: PlannedAt;
  /** For how many milliseconds of a span the machine could not work. */
  readonly lost: (span: Span) => number;
}

/** Judges the deletions of a run; items that are still there are left out. */
export function punctualityOf(
  items: readonly SweptItem[],
  { pace, rate, plannedAt, lost }: PunctualityOptions,
): Punctuality {
  const counts = { inTime: 0, excused: 0, late: 0 };
  const deletionMs = deletionTimeMs(pace, rate);
  for (const [{ ttl, goneAt }, lookDueBy] of looksDueBy(items, pace, plannedAt)) {
    if (goneAt === undefined) continue;
    const lateBy = goneAt - (lookDueBy + deletionMs);
    if (lateBy <= 0) counts.inTime += 1;
    else if (lateBy <= lost({ from: ttl * 1000, to: goneAt })) counts.excused += 1;
    else counts.late += 1;
  }
  return counts;
}
