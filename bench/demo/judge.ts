import type { FollowedEvents } from '../ledger/followers.ts';
import type { SweptItem, Tally } from '../ledger/tally.ts';
import { count, lagPercentiles, seconds } from '../report/numbers.ts';
import type { MachineReport, Span } from '../watch/machine.ts';
import { deletionTimeMs, type LateTicks, looksDueBy, type Pace } from './deadline.ts';

/** `undecided`: the promise looks broken, but this machine may have been the cause; or nothing in the run could show it. */
export type Status = 'kept' | 'broken' | 'undecided';

/** The outcome of a run; the exit status of `npm start` follows from it. */
export type Verdict = Status | 'interrupted';

/** A promise and its result, in items; for `nothingFailed` in failures. */
export interface Kept {
  readonly name: PromiseName;
  readonly status: Status;
  readonly expected: number;
  readonly got: number;
}

/** The items that had expired when the sweep began. */
export interface Backlog {
  readonly items: number;
  readonly deleted: number;
  /** Milliseconds from the start of the sweep to the last of these deletions; 0 if there was none. */
  readonly goneMs: number;
}

/** The observations of a run. */
export interface Seen {
  readonly tally: Tally;
  readonly backlog: Backlog;
  readonly punctuality: Punctuality;
  /** Milliseconds from expiry to deletion, of every deleted item but those of the backlog. */
  readonly lags: readonly number[];
  readonly promisedLagMs: number;
  /** Whether sessions are renewed in this run. */
  readonly renewals: boolean;
  /** Contradictions between the table at the end and the ledger; a sentence each. */
  readonly contradictions: readonly string[];
  readonly executions: number;
  /** Executions that failed, starts that did not work; a sentence each. */
  readonly failures: readonly string[];
  /** Failures of executions during which this machine stood still; a sentence each. */
  readonly excusedFailures: readonly string[];
  /** The events of each pipe. */
  readonly events: readonly FollowedEvents[];
  readonly machine: MachineReport;
  readonly interrupted: boolean;
}

interface Promised {
  /** How many items, or failures, are expected and were seen, and the status if they differ; undefined if nothing is promised. */
  readonly held: (seen: Seen) => readonly [expected: number, got: number, ifNot?: Status] | undefined;
  /** Whether the promise is undecided if no item expired. @default false */
  readonly isOfExpired?: boolean;
  /** Its line in the summary. */
  readonly line: (kept: Kept, seen: Seen) => readonly [name: string, value: string, note: string];
  /** Describes how the promise was broken. */
  readonly otherwise: (kept: Kept, seen: Seen) => readonly string[];
}

const ofAll = ({ expected, got }: Kept) => `${count(got)} of ${count(expected)}`;

/** The promises that a run checks. Scripts read these names in the output of `--json`. */
const PROMISES = {
  expiredDeleted: {
    isOfExpired: true,
    held: ({ tally }) => [tally.expired, tally.deleted],
    line: ({ expected, got }) => [
      'expired = deleted',
      `${count(expected)} = ${count(got)}`,
      "seen in the table's stream",
    ],
    otherwise: ({ expected, got }) => [
      expected === 0
        ? 'nothing expired, so nothing was shown: take more --minutes or a higher --rate'
        : `${count(expected)} items expired, but ${count(got)} were deleted`,
    ],
  },
  goneInTime: {
    isOfExpired: true,
    held: ({ punctuality: { inTime, excused, late } }) => [
      inTime + excused + late,
      inTime,
      late > 0 ? 'broken' : 'undecided',
    ],
    line: (kept, { promisedLagMs }) => [
      'gone in time',
      ofAll(kept),
      `promised: ${describePromise(promisedLagMs)} if written in time`,
    ],
    otherwise: ({ expected }, { punctuality: { excused, late, latestMs } }) => {
      const tooLate = (some: number) =>
        `${count(some)} of ${count(expected)} deletions came too late (the latest by ${seconds(latestMs)})`;
      return [
        ...(late > 0 ? [`${tooLate(late)}, and this machine had time for them`] : []),
        ...(excused > 0 ? [`${tooLate(excused)}, by no more than this machine was too slow`] : []),
      ];
    },
  },
  liveKept: {
    held: ({ tally }) => [0, tally.liveDeleted],
    line: ({ got }) => ['live items deleted', count(got), ''],
    otherwise: ({ got }) => [`${count(got)} items were deleted while they were live`],
  },
  renewedKept: {
    held: ({ tally, renewals }) => (renewals ? [tally.renewed, tally.renewedKept] : undefined),
    line: kept => ['renewed, kept', ofAll(kept), 'renewed or made permanent in their last seconds'],
    otherwise: ({ expected, got }) => [
      `${count(expected)} items were renewed in time, but ${count(got)} were kept`,
    ],
  },
  tableAsWritten: {
    held: ({ contradictions }) => [0, contradictions.length],
    line: ({ got }) => ['contradictions', count(got), 'between the table at the end and what was written'],
    otherwise: (_kept, { contradictions }) => contradictions,
  },
  nothingFailed: {
    held: ({ failures, excusedFailures }) => [
      0,
      failures.length + excusedFailures.length,
      failures.length > 0 ? 'broken' : 'undecided',
    ],
    line: ({ got }, { executions }) => [
      'failures',
      count(got),
      `of ${count(executions)} executions, their starts, and what surrounds them`,
    ],
    otherwise: (_kept, { failures, excusedFailures }) => [...failures, ...excusedFailures],
  },
  eventOfEach: {
    isOfExpired: true,
    held: ({ tally, events }) =>
      events.length === 0 ? undefined : [tally.deleted * events.length, sum(events, 'items')],
    line: (_kept, { tally, events }) => [
      ['deleted', ...events.map(() => 'events')].join(' = '),
      [tally.deleted, ...events.map(({ items }) => items)].map(count).join(' = '),
      `each item once; delivered twice: ${count(sum(events, 'again'))}`,
    ],
    otherwise: ({ got }, { tally }) => [
      `${count(tally.deleted)} items expired and were deleted, but events of ${count(got)} came`,
    ],
  },
  eventsRight: {
    held: ({ events }) => {
      if (events.length === 0) return undefined;
      const wrong = sum(events, 'strays') + sum(events, 'altered');
      return [0, wrong + sum(events, 'doubtful'), wrong > 0 ? 'broken' : 'undecided'];
    },
    line: ({ got }) => ['events wrongly', count(got), 'not expired, or not as last written'],
    otherwise: (_kept, { events }) =>
      [
        [sum(events, 'strays'), 'items became events that had not expired'] as const,
        [sum(events, 'altered'), 'items have events that say something else than was last written'] as const,
        [
          sum(events, 'doubtful'),
          "items became events that the application deleted before they expired: this machine read the table's stream too late to tell",
        ] as const,
      ].flatMap(([items, text]) => (items > 0 ? [`${count(items)} ${text}`] : [])),
  },
} as const satisfies Readonly<Record<string, Promised>>;

export type PromiseName = keyof typeof PROMISES;

/** Adds up a count of all pipes. */
function sum(events: readonly FollowedEvents[], name: 'items' | 'again' | 'strays' | 'doubtful' | 'altered') {
  return events.reduce((total, each) => total + each[name], 0);
}

/** The fields that `--json` writes, and no others. */
export interface DemoResult {
  readonly written: number;
  /** Items whose TTL has passed. */
  readonly expired: number;
  /** Expired items that were seen to be deleted. */
  readonly deleted: number;
  readonly backlog: Backlog;
  /** Milliseconds from expiry to deletion without the backlog, as seen in the stream; 0 if nothing was deleted. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Most milliseconds from expiry to deletion that are promised for an item that is written in time. */
  readonly promisedLagMs: number;
  /** The events of each pipe, if the table has any. */
  readonly events?: readonly FollowedEvents[];
  /** Broken if a promise is broken; else undecided if one is undecided. */
  readonly verdict: Verdict;
  /** After an interruption all of them are undecided. */
  readonly promises: readonly Kept[];
  readonly machine: MachineReport;
}

export interface Judged {
  readonly result: DemoResult;
  /** Reasons for broken promises, and for undecided ones in `doubts`; both are empty after a success. */
  readonly violations: readonly string[];
  readonly doubts: readonly string[];
  /** The summary for a person. */
  readonly summary: string;
}

/** Compares a run that has ended with the promises. */
export function judge(seen: Seen): Judged {
  const { tally, backlog, promisedLagMs, machine, interrupted, events } = seen;
  const promises = (Object.keys(PROMISES) as PromiseName[]).flatMap(name => promiseOf(name, seen));
  const statuses = promises.map(({ status }) => status);
  const judged = (['broken', 'undecided'] as const).find(status => statuses.includes(status)) ?? 'kept';
  const { p50, p99, max } = lagPercentiles(seen.lags);
  const { written, expired, deleted } = tally;
  const sentences = (wanted: Status) =>
    promises.flatMap(kept => (kept.status === wanted ? PROMISES[kept.name].otherwise(kept, seen) : []));
  const violations = sentences('broken');
  const doubts = interrupted ? [] : sentences('undecided');
  const result: DemoResult = {
    ...{ written, expired, deleted, backlog, lagMs: { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 } },
    ...(events.length > 0 && { events }),
    ...{ promisedLagMs, verdict: interrupted ? 'interrupted' : judged, promises, machine },
  };
  const summary = [...tableOf(result, seen), '', ...verdictOf(result, violations, doubts)].join('\n');
  return { result, violations, doubts, summary };
}

function promiseOf(name: PromiseName, seen: Seen): Kept[] {
  const { held, isOfExpired }: Promised = PROMISES[name];
  const counts = held(seen);
  if (counts === undefined) return [];
  const [expected, got, ifNot = 'broken'] = counts;
  // After the clock was set back, nothing can be judged as early, late or overdue.
  const otherwise = seen.machine.clockSetBackMs > 0 ? 'undecided' : ifNot;
  const showsNothing = seen.interrupted || (isOfExpired === true && seen.tally.expired === 0);
  return [
    { name, expected, got, status: showsNothing ? 'undecided' : expected === got ? 'kept' : otherwise },
  ];
}

const SIGNS: Readonly<Record<Status, string>> = { kept: '✓', broken: '✗', undecided: '?' };

/** The lines of the summary: every promise and what became of it, below what is only told. */
function tableOf({ promises, lagMs, deleted }: DemoResult, seen: Seen): string[] {
  const { tally, backlog, interrupted } = seen;
  const lag = `${seconds(lagMs.p50)} / ${seconds(lagMs.p99)} / ${seconds(lagMs.max)}`;
  const rows = [
    [' ', 'written', count(tally.written), 'sessions'],
    [
      ' ',
      'before the sweep',
      `${count(backlog.deleted)} of ${count(backlog.items)}`,
      `had expired, and went ${seconds(backlog.goneMs)} after it began`,
    ],
    [
      ' ',
      'lag p50 / p99 / max',
      deleted > backlog.deleted ? lag : '–',
      'of the others, from expiry to deletion',
    ],
    ...promises.map(
      kept => [interrupted ? ' ' : SIGNS[kept.status], ...PROMISES[kept.name].line(kept, seen)] as const,
    ),
  ] as const;
  const width = (column: 1 | 2) => Math.max(...rows.map(row => row[column].length));
  return rows.map(([sign, name, value, note]) =>
    `  ${sign} ${name.padEnd(width(1))}  ${value.padEnd(width(2))}  ${note}`.trimEnd(),
  );
}

function verdictOf(
  { verdict, machine: report }: DemoResult,
  violations: readonly string[],
  doubts: readonly string[],
): string[] {
  if (verdict === 'interrupted') return ['  Interrupted: this is what is known so far; nothing was judged.'];
  if (verdict === 'kept') return ['  Every promise was kept.'];
  const machine = describeMachine(report);
  const list = (sign: string, title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [title, ...sentences.map(sentence => `  ${sign} ${sentence}`)];
  const again =
    '  Run it again while the machine has less to do, or with a lower --rate, to see what the sweep can do.';
  return [
    ...list('✗', '  Not as promised:', violations),
    ...list('?', '  Not decided:', doubts),
    ...(machine === undefined ? [] : [`  This machine: ${machine}.`]),
    ...(machine === undefined || violations.length > 0 ? [] : [again]),
  ];
}

/** A shorter standstill is not mentioned: it is unimportant in a run of minutes. */
const WORTH_SAYING_MS = 500;

/** A sentence about a machine that was busy with other work; undefined if it was not. */
function describeMachine({ stoodStillMs, busyMs, slowAnswersMs, clockSetBackMs }: MachineReport) {
  const parts: [number, string][] = [
    [
      stoodStillMs,
      `it, or this process, stood still for ${seconds(stoodStillMs)} in all (asleep, suspended, kept by other work, or its clock was set ahead)`,
    ],
    [busyMs, `its processors were busy all the time for ${seconds(busyMs)}`],
    [slowAnswersMs, `DynamoDB Local kept us waiting for ${seconds(slowAnswersMs)} more than usual`],
    [
      clockSetBackMs,
      `its clock was set back by ${seconds(clockSetBackMs)}, so that no time in this run means anything`,
    ],
  ];
  const said = parts.filter(([ms]) => ms >= WORTH_SAYING_MS).map(([, text]) => text);
  return said.length === 0 ? undefined : said.join('; ');
}

/** The promise in words. @param lagMs most milliseconds from expiry to deletion of an item that is written in time */
export function describePromise(lagMs: number): string {
  return `gone within ${seconds(lagMs)} of expiry`;
}

/** How many deletions came in time. */
export interface Punctuality {
  readonly inTime: number;
  /** Deletions that were late by no more than the time that the machine lost while they were due. */
  readonly excused: number;
  readonly late: number;
  /** Milliseconds by which the latest of all came too late. */
  readonly latestMs: number;
}

export interface PunctualityOptions {
  readonly pace: Pace;
  readonly lateTicks: LateTicks;
  /** For how many milliseconds of a span the machine could not work. */
  readonly lost: (span: Span) => number;
}

/** Judges the deletions of a run; items that are still there are left out. */
export function punctualityOf(
  items: readonly SweptItem[],
  { pace, lateTicks, lost }: PunctualityOptions,
): Punctuality {
  const counts = { inTime: 0, excused: 0, late: 0, latestMs: 0 };
  const looks = Map.groupBy(looksDueBy(items, pace, lateTicks), ([, lookDueBy]) => lookDueBy);
  for (const [lookDueBy, together] of looks) {
    const deletionMs = deletionTimeMs(pace.marginSeconds, together.length);
    for (const [{ ttl, knownAt, goneAt }] of together) {
      if (goneAt === undefined) continue;
      const lateBy = goneAt - (lookDueBy + deletionMs);
      counts.latestMs = Math.max(counts.latestMs, lateBy);
      if (lateBy <= 0) counts.inTime += 1;
      else if (lateBy <= lost({ from: Math.max(ttl * 1000, knownAt), to: goneAt })) counts.excused += 1;
      else counts.late += 1;
    }
  }
  return counts;
}
