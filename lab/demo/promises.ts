import type { Arrived } from '../archive/arrivals.ts';
import type { SweptItem, Tally } from '../ledger/tally.ts';
import type { MachineReport, Span } from '../watch/machine.ts';
import { deletionTimeMs, type Pace, type PlannedAt, pollsDueBy } from './deadline.ts';
import type { Followed } from './followers.ts';

/** Undecided: it looks broken, but this machine may have been the cause; or there was nothing to see it by. */
export type Status = 'kept' | 'broken' | 'undecided';

/** What a sweep is held to. Scripts read these names in what `--json` writes. */
export type PromiseName =
  | 'expiredDeleted'
  | 'goneInTime'
  | 'liveKept'
  | 'renewedKept'
  | 'noneOverdue'
  | 'tableAsWritten'
  | 'nothingFailed'
  | 'heldKept'
  | 'allArchived'
  | 'onlyExpiredArchived'
  | 'archivedAsWritten'
  | 'archivedFirst'
  | 'eventOfEach'
  | 'eventsOnlyOfExpired'
  | 'eventsAsWritten';

/** A promise and what became of it, as counts of items; of failures for `nothingFailed`. */
export interface Kept {
  readonly name: PromiseName;
  readonly status: Status;
  readonly expected: number;
  readonly got: number;
}

/** What was seen of a run that has ended. */
export interface Seen {
  readonly tally: Tally;
  readonly punctuality: Punctuality;
  /** What the table at the end has against the ledger; a sentence each. */
  readonly contradictions: readonly string[];
  /** Executions that failed, starts that did not work; a sentence each. */
  readonly failures: readonly string[];
  /** Executions that failed after this machine had stood still in them; a sentence each. */
  readonly excusedFailures: readonly string[];
  readonly machine: MachineReport;
  /** What the expiries led to; empty where they lead to nothing. */
  readonly followed: Followed;
  /** Items that the application holds at the end, and how many of them were not deleted. @default none can be held */
  readonly held?: { readonly items: number; readonly kept: number };
}

/** Holds a run against what is promised. */
export function holdAgainstPromises(seen: Seen): Kept[] {
  const { tally, punctuality, contradictions, failures, excusedFailures, machine } = seen;
  const kept = (name: PromiseName, expected: number, got: number, ifNot: Status = 'broken'): Kept => {
    // Without a clock to go by, nothing is known to be early, late or overdue.
    const otherwise = machine.clockSetBackMs > 0 ? 'undecided' : ifNot;
    return { name, expected, got, status: expected === got ? 'kept' : otherwise };
  };
  const { inTime, excused, late } = punctuality;
  const promises = [
    kept('expiredDeleted', tally.expired, tally.deleted),
    kept('goneInTime', inTime + excused + late, inTime, late > 0 ? 'broken' : 'undecided'),
    kept('liveKept', 0, tally.liveDeleted),
    kept('renewedKept', tally.renewed, tally.renewedKept),
    kept('noneOverdue', 0, tally.overdue),
    kept('tableAsWritten', 0, contradictions.length),
    kept(
      'nothingFailed',
      0,
      failures.length + excusedFailures.length,
      failures.length > 0 ? 'broken' : 'undecided',
    ),
    ...(seen.held === undefined ? [] : [kept('heldKept', seen.held.items, seen.held.kept)]),
    ...followers(seen.followed, tally, kept),
  ];
  // A run in which nothing was to be deleted shows nothing.
  return tally.expired > 0
    ? promises
    : promises.map(promise =>
        OF_WHAT_EXPIRED.has(promise.name) ? { ...promise, status: 'undecided' } : promise,
      );
}

const OF_WHAT_EXPIRED: ReadonlySet<PromiseName> = new Set([
  'expiredDeleted',
  'goneInTime',
  'allArchived',
  'eventOfEach',
]);

/** What is promised of an archive and of events, where there are any. */
function followers(
  { archive, events }: Followed,
  { deleted }: Tally,
  kept: (name: PromiseName, expected: number, got: number, ifNot?: Status) => Kept,
): Kept[] {
  const noStrays = (name: PromiseName, { strays, doubtful }: Arrived) =>
    kept(name, 0, strays + doubtful, strays > 0 ? 'broken' : 'undecided');
  return [
    ...(archive === undefined
      ? []
      : [
          kept('allArchived', deleted, archive.items),
          noStrays('onlyExpiredArchived', archive),
          kept('archivedAsWritten', 0, archive.altered),
          ...(archive.withoutCopy === undefined ? [] : [kept('archivedFirst', 0, archive.withoutCopy)]),
        ]),
    ...(events === undefined
      ? []
      : [
          kept('eventOfEach', deleted, events.items),
          noStrays('eventsOnlyOfExpired', events),
          kept('eventsAsWritten', 0, events.altered),
        ]),
  ];
}

/** How many deletions came in time. */
export interface Punctuality {
  readonly inTime: number;
  /** Late by no more than the time that the machine lost while they were due. */
  readonly excused: number;
  readonly late: number;
}

export interface PunctualityOptions {
  readonly pace: Pace;
  /** Items that expire in a second. */
  readonly rate: number;
  readonly plannedAt: PlannedAt;
  /** How many milliseconds of a span the machine could not do its work. */
  readonly lost: (span: Span) => number;
}

/** Judges the deletions of a run; what is not gone yet is left out. */
export function punctualityOf(
  items: readonly SweptItem[],
  { pace, rate, plannedAt, lost }: PunctualityOptions,
): Punctuality {
  const counts = { inTime: 0, excused: 0, late: 0 };
  const deletionMs = deletionTimeMs(pace, rate);
  for (const [{ ttl, goneAt }, pollDueBy] of pollsDueBy(items, pace, plannedAt)) {
    if (goneAt === undefined) continue;
    const lateBy = goneAt - (pollDueBy + deletionMs);
    if (lateBy <= 0) counts.inTime += 1;
    else if (lateBy <= lost({ from: ttl * 1000, to: goneAt })) counts.excused += 1;
    else counts.late += 1;
  }
  return counts;
}
