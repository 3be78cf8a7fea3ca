import { count } from '../../cli/dashboard/words.ts';
import type { SweepSettings } from '../../functions/runtime/environment.ts';
import { describeViolations, type ExpiredItem, type Tally, type Violation } from '../ledger/ledger.ts';
import { lagPercentiles, seconds } from '../report/numbers.ts';
import type { MachineWatch } from '../workload/machine.ts';

/** Result of a promise about the sweep. `undecided`: this computer may have caused the failure, or the run did not test the promise. */
export type Status = 'kept' | 'broken' | 'undecided';

export type Verdict = Status | 'interrupted';

/** A promise and its result. `expected` and `got` count the same things: items, events, contradictions or failures. */
export interface Kept {
  readonly name: PromiseName;
  readonly status: Status;
  readonly expected: number;
  readonly got: number;
}

export interface Backlog {
  readonly items: number;
  readonly deleted: number;
  /** Milliseconds from the start of the first tick to the last deletion of the backlog; 0 without a deletion. */
  readonly goneMs: number;
}

export interface Seen {
  readonly tally: Tally;
  readonly backlog: Backlog;
  readonly punctuality: ReturnType<typeof punctualityOf>;
  readonly lags: readonly number[];
  readonly promisedLagMs: number;
  readonly renewals: boolean;
  readonly contradictions: readonly string[];
  readonly executions: number;
  readonly failures: readonly string[];
  readonly areFailuresExcused: boolean;
  readonly pipes: number;
  readonly wrongEvents: readonly Violation[];
  readonly stoodStillMs: number;
  readonly interrupted: boolean;
}

interface Promised {
  readonly label: string;
  readonly note: (seen: Seen) => string;
  /** Expected number, actual number, and status if they differ (default: `broken`). Undefined if the run does not check the promise. */
  readonly counts: (seen: Seen) => readonly [expected: number, got: number, ifNot?: Status] | undefined;
  /** Whether the promise is undecided in a run without expired items. @default false */
  readonly isOfExpired?: boolean;
  /** Sentences for a promise whose numbers differ. @default one sentence with both numbers */
  readonly details?: (seen: Seen) => readonly string[];
}

export const lostEvents = (wrongEvents: readonly Violation[]) =>
  wrongEvents.filter(({ finding }) => finding === 'notDelivered').length;

/** The promises that a run checks. Scripts read these names in the output of `--json`. */
const PROMISES = {
  expiredDeleted: {
    label: 'expired, deleted',
    note: () => "seen in the table's stream",
    isOfExpired: true,
    counts: ({ tally }) => [tally.expired, tally.deleted],
  },
  goneInTime: {
    label: 'gone in time',
    note: seen => `promised: ${describePromise(seen.promisedLagMs)} if written in time`,
    isOfExpired: true,
    counts: ({ punctuality: { inTime, excused, late } }) => [
      inTime + excused + late,
      inTime,
      late > 0 ? 'broken' : 'undecided',
    ],
    details: ({ punctuality: { excused, late, latestMs } }) => [
      ...(late > 0
        ? [
            `${count(late)} deletions came too late, though this machine had time for them; the latest of all by ${seconds(latestMs)}`,
          ]
        : []),
      ...(excused > 0 ? [`${count(excused)} deletions came too late when this machine was too slow`] : []),
    ],
  },
  liveKept: {
    label: 'live items deleted',
    note: () => '',
    counts: ({ tally }) => [0, tally.liveDeleted],
  },
  renewedKept: {
    label: 'renewed, kept',
    note: () => 'renewed or made permanent in their last seconds',
    counts: ({ tally, renewals }) => (renewals ? [tally.renewed, tally.renewedKept] : undefined),
  },
  tableAsWritten: {
    label: 'contradictions',
    note: () => 'between the table at the end and what was written',
    counts: ({ contradictions }) => [0, contradictions.length],
    details: ({ contradictions }) => contradictions,
  },
  nothingFailed: {
    label: 'failures',
    note: ({ executions }) => `of ${count(executions)} executions, their starts, and what surrounds them`,
    counts: ({ failures, areFailuresExcused }) => [
      0,
      failures.length,
      areFailuresExcused ? 'undecided' : 'broken',
    ],
    details: ({ failures }) => failures,
  },
  eventOfEach: {
    label: 'deleted, with event',
    note: ({ pipes }) => (pipes === 1 ? 'of the pipe' : `of ${pipes} pipes`),
    isOfExpired: true,
    counts: ({ tally, pipes, wrongEvents }) => {
      const events = tally.deleted * pipes;
      return pipes === 0 ? undefined : [events, events - lostEvents(wrongEvents)];
    },
  },
  eventsRight: {
    label: 'events wrongly',
    note: () => 'not expired, or not as last written',
    counts: ({ pipes, wrongEvents }) =>
      pipes === 0 ? undefined : [0, wrongEvents.length - lostEvents(wrongEvents)],
    details: ({ wrongEvents }) =>
      describeViolations(wrongEvents.filter(({ finding }) => finding !== 'notDelivered')),
  },
} as const satisfies Readonly<Record<string, Promised>>;

export type PromiseName = keyof typeof PROMISES;

/** All fields that `--json` writes. */
interface DemoResult {
  readonly written: number;
  readonly expired: number;
  readonly deleted: number;
  readonly backlog: Backlog;
  /** Milliseconds from an item's expiry to its deletion in the stream, without the items of the backlog; 0 without deletions. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Longest promised time from an item's due time ({@link dueAt}) to its deletion, milliseconds. */
  readonly promisedLagMs: number;
  /** `interrupted` after an interruption; otherwise `broken` if a promise is broken; otherwise `undecided` if a promise is undecided. */
  readonly verdict: Verdict;
  /** After an interruption all promises are undecided. */
  readonly promises: readonly Kept[];
  readonly machine: { readonly stoodStillMs: number };
}

export interface Judged {
  readonly result: DemoResult;
  /** Sentences about broken promises. `doubts` has the sentences about undecided promises. */
  readonly violations: readonly string[];
  readonly doubts: readonly string[];
  readonly summary: string;
}

export function judge(seen: Seen): Judged {
  const { tally, backlog, stoodStillMs, interrupted } = seen;
  const promises = (Object.keys(PROMISES) as PromiseName[]).flatMap(name => promiseOf(name, seen));
  const statuses = promises.map(({ status }) => status);
  const judged = (['broken', 'undecided'] as const).find(status => statuses.includes(status)) ?? 'kept';
  const { p50, p99, max } = lagPercentiles(seen.lags);
  const { written, expired, deleted } = tally;
  const sentences = (wanted: Status) =>
    promises.flatMap(kept => (kept.status === wanted ? sentencesOf(kept, seen) : []));
  const violations = sentences('broken');
  const doubts = interrupted ? [] : sentences('undecided');
  const result: DemoResult = {
    ...{ written, expired, deleted, backlog, lagMs: { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 } },
    ...{
      promisedLagMs: seen.promisedLagMs,
      verdict: interrupted ? 'interrupted' : judged,
      promises,
      machine: { stoodStillMs },
    },
  };
  const summary = [...tableOf(result, seen), '', ...verdictOf(result, violations, doubts)].join('\n');
  return { result, violations, doubts, summary };
}

function promiseOf(name: PromiseName, seen: Seen): Kept[] {
  const { counts, isOfExpired }: Promised = PROMISES[name];
  const counted = counts(seen);
  if (counted === undefined) return [];
  const [expected, got, otherwise = 'broken'] = counted;
  const showsNothing = seen.interrupted || (isOfExpired === true && seen.tally.expired === 0);
  const status = expected === got ? 'kept' : otherwise;
  return [{ name, expected, got, status: showsNothing ? 'undecided' : status }];
}

function sentencesOf({ name, expected, got }: Kept, seen: Seen): readonly string[] {
  const { label, details }: Promised = PROMISES[name];
  if (expected === got) return [`${label}: nothing expired; take more --minutes or a higher --rate`];
  return details?.(seen) ?? [`${label}: expected ${count(expected)}, got ${count(got)}`];
}

const SIGNS: Readonly<Record<Status, string>> = { kept: '✓', broken: '✗', undecided: '?' };

function tableOf({ promises, lagMs, deleted }: DemoResult, seen: Seen): string[] {
  const { tally, backlog, interrupted } = seen;
  const lag = [lagMs.p50, lagMs.p99, lagMs.max].map(seconds).join(' / ');
  const share = (got: number, expected: number) => `${count(got)} of ${count(expected)}`;
  const wentAfter = `had expired, and went ${seconds(backlog.goneMs)} after it began`;
  const rows = [
    [' ', 'written', count(tally.written), 'sessions'],
    [' ', 'before the sweep', share(backlog.deleted, backlog.items), wentAfter],
    [
      ' ',
      'lag p50 / p99 / max',
      deleted > backlog.deleted ? lag : '–',
      'of the others, from expiry to deletion',
    ],
    ...promises.map(({ name, status, expected, got }) => {
      const { label, note } = PROMISES[name];
      const value = expected === 0 && name !== 'expiredDeleted' ? count(got) : share(got, expected);
      return [interrupted ? ' ' : SIGNS[status], label, value, note(seen)] as const;
    }),
  ] as const;
  const width = (column: 1 | 2) => Math.max(...rows.map(row => row[column].length));
  return rows.map(([sign, name, value, note]) =>
    `  ${sign} ${name.padEnd(width(1))}  ${value.padEnd(width(2))}  ${note}`.trimEnd(),
  );
}

const WORTH_SAYING_MS = 500;

function verdictOf(
  { verdict, machine: { stoodStillMs } }: DemoResult,
  violations: readonly string[],
  doubts: readonly string[],
): string[] {
  if (verdict === 'interrupted') return ['  Interrupted: this is what is known so far; nothing was judged.'];
  if (verdict === 'kept') return ['  Every promise was kept.'];
  const list = (sign: string, title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [title, ...sentences.map(sentence => `  ${sign} ${sentence}`)];
  const isSlow = stoodStillMs >= WORTH_SAYING_MS;
  const again =
    '  Run it again while the machine has less to do, or with a lower --rate, to see what the sweep can do.';
  return [
    ...list('✗', '  Not as promised:', violations),
    ...list('?', '  Not decided:', doubts),
    ...(isSlow ? [`  This machine: it, or this process, stood still for ${seconds(stoodStillMs)}.`] : []),
    ...(isSlow && violations.length === 0 ? [again] : []),
  ];
}

export function describePromise(lagMs: number): string {
  return `gone within ${seconds(lagMs)} of expiry`;
}

interface PunctualityOptions {
  readonly pace: Pace;
  readonly rate: number;
  readonly lateTicks: LateTicks;
  readonly excuses: MachineWatch['excuses'];
}

/** Counts deletions: in time, late with an excuse, late without one. `latestMs`: the largest delay beyond {@link promisedLagMs}, or 0. */
export function punctualityOf(
  items: readonly ExpiredItem[],
  { pace, rate, lateTicks, excuses }: PunctualityOptions,
) {
  const counts = { inTime: 0, excused: 0, late: 0, latestMs: 0 };
  const mostMs = promisedLagMs(pace, rate);
  for (const item of items) {
    if (item.deletedAt === undefined) continue;
    const due = dueAt(item, pace, lateTicks);
    const lateMs = item.deletedAt - due - mostMs;
    counts.latestMs = Math.max(counts.latestMs, lateMs);
    if (lateMs <= 0) counts.inTime += 1;
    else if (excuses(due, item.deletedAt, lateMs)) counts.excused += 1;
    else counts.late += 1;
  }
  return counts;
}

export const MINUTE_SECONDS = 60;

const SECOND_MS = 1_000;
/** Time for the query, for the delete, and until the stream shows the deletion, milliseconds. */
const USUAL_DELETE_MS = 1_000;
/** Assumed deletes in a second, if many items are due: the write limit of one index key. Source: docs/contributing/decisions.md. */
const ITEMS_PER_SECOND = 1_000;
/** Milliseconds from the later of expiry and write to the due time, if written too late. Source: docs/how-an-item-dies.md, "Limits". */
const WRITTEN_LATE_MS = 120_000;

type Pace = Pick<SweepSettings, 'precision' | 'pollSeconds' | 'marginSeconds'>;

/** Longest promised time from an item's due time to its deletion, milliseconds. @param rate items that expire in a second */
export function promisedLagMs({ precision, marginSeconds }: Pace, rate: number): number {
  const seconds = precision === 'minute' ? MINUTE_SECONDS : 1;
  const deletionMs = USUAL_DELETE_MS + marginSeconds * 1000 + (rate * seconds * 1000) / ITEMS_PER_SECOND;
  return Math.round(seconds * SECOND_MS + deletionMs);
}

/** Scheduled minute of each late tick (epoch seconds) → actual start of the tick (epoch milliseconds). */
type LateTicks = ReadonlyMap<number, number>;

/**
 * Time from which a deletion's delay counts, epoch milliseconds. The function runs no code of the sweep, because the result judges the
 * sweep.
 */
export function dueAt({ ttl, writtenAt }: ExpiredItem, pace: Pace, late: LateTicks): number {
  const { precision, pollSeconds, marginSeconds } = pace;
  const expiry = ttl * 1000;
  if (precision === 'minute') return Math.max(expiry, writtenAt);
  // The tick of 09:00 deletes items whose TTL + `marginSeconds` is in the minute 09:01.
  const tick = minuteOf(ttl + marginSeconds) - MINUTE_SECONDS;
  const planned = late.get(tick) ?? tick * 1000;
  // The item was written in time: before its tick started or, if `pollSeconds` > 0, at least `pollSeconds` before its expiry.
  if (writtenAt <= (pollSeconds > 0 ? expiry - pollSeconds * 1000 : planned))
    return Math.max(expiry, planned);
  return Math.max(expiry, writtenAt) + WRITTEN_LATE_MS;
}

export function minuteOf(epochSeconds: number): number {
  return Math.floor(epochSeconds / MINUTE_SECONDS) * MINUTE_SECONDS;
}
