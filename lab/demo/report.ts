import type { Arrived } from '../archive/arrivals.ts';
import type { Tally } from '../ledger/tally.ts';
import { lagPercentiles } from '../report/lag.ts';
import { count, seconds } from '../report/numbers.ts';
import type { MachineReport } from '../watch/machine.ts';
import type { Followed, Following } from './followers.ts';
import { holdAgainstPromises, type Kept, type PromiseName, type Seen, type Status } from './promises.ts';

/** What became of a run; the exit status of `npm start` follows from it. */
export type Verdict = Status | 'interrupted';

/** What `--json` writes; exactly these fields. */
export interface DemoResult {
  readonly written: number;
  /** Items whose TTL passed while the job ran. */
  readonly expired: number;
  /** Of these, the ones seen to be deleted. */
  readonly deleted: number;
  readonly liveDeleted: number;
  /** Items renewed, or made permanent, in their last seconds, that outlived the time they had before. */
  readonly renewedKept: number;
  readonly overdue: number;
  /** Milliseconds from expiry to deletion, as seen from outside; 0 when nothing was deleted. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Milliseconds from expiry to deletion that are promised for an item that is written in good time. */
  readonly promisedLagMs: number;
  /** What was archived, where there is an archive. Its lag: from expiry to the object. */
  readonly archive?: Followed['archive'];
  /** Which events came, where there are any. Their lag: from expiry to the event. */
  readonly events?: Followed['events'];
  /** Broken when a promise is, otherwise undecided when one is. */
  readonly verdict: Verdict;
  /** Each undecided after an interruption. */
  readonly promises: readonly Kept[];
  readonly machine: MachineReport;
}

export interface Judged {
  readonly result: DemoResult;
  /** Why promises are broken or undecided; empty is a success. */
  readonly violations: readonly string[];
  readonly doubts: readonly string[];
}

/** What is judged, and by what. */
export interface JudgedRun extends Seen {
  /** Milliseconds from expiry to deletion, of every deleted item. */
  readonly lags: readonly number[];
  readonly promisedLagMs: number;
  readonly interrupted: boolean;
}

export function lagOf(lags: readonly number[]): DemoResult['lagMs'] {
  const { p50, p99, max } = lagPercentiles(lags);
  return { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 };
}

/** Judges a run that has ended. */
export function judge(run: JudgedRun): Judged {
  const { tally, lags, promisedLagMs, machine, interrupted } = run;
  const promises = holdAgainstPromises(run).map(
    (promise): Kept => (interrupted ? { ...promise, status: 'undecided' } : promise),
  );
  const statuses = promises.map(({ status }) => status);
  const judged = (['broken', 'undecided'] as const).find(status => statuses.includes(status)) ?? 'kept';
  const { written, expired, deleted, liveDeleted, renewedKept, overdue } = tally;
  const sentences = (status: Status) =>
    promises.filter(promise => promise.status === status).flatMap(({ name }) => SENTENCES[name](run));
  return {
    result: {
      ...{ written, expired, deleted, liveDeleted, renewedKept, overdue, lagMs: lagOf(lags) },
      ...run.followed,
      ...{ promisedLagMs, verdict: interrupted ? 'interrupted' : judged, promises, machine },
    },
    violations: sentences('broken'),
    doubts: interrupted ? [] : sentences('undecided'),
  };
}

/** What to say of a promise that isn't kept. */
const SENTENCES: Readonly<Record<PromiseName, (run: JudgedRun) => readonly string[]>> = {
  expiredDeleted: ({ tally: { expired, deleted } }) => [
    expired === 0
      ? 'nothing expired, so nothing was shown: take more --minutes or a higher --rate'
      : `${count(expired)} items expired, but ${count(deleted)} were deleted`,
  ],
  goneInTime: ({ punctuality: { inTime, excused, late }, lags, promisedLagMs }) => {
    const tooLate = (some: number) =>
      `${count(some)} of ${count(inTime + excused + late)} deletions came too late (the longest of all ` +
      `${seconds(lagOf(lags).max)} after the expiry, promised are ${seconds(promisedLagMs)})`;
    return [
      ...(late > 0 ? [`${tooLate(late)}, and this machine had time for them`] : []),
      ...(excused > 0 ? [`${tooLate(excused)}, by no more than this machine was too slow`] : []),
    ];
  },
  liveKept: ({ tally: { liveDeleted } }) => [`${count(liveDeleted)} items were deleted while they were live`],
  renewedKept: ({ tally: { renewed, renewedKept } }) => [
    `${count(renewed)} items were renewed in time, but ${count(renewedKept)} were kept`,
  ],
  noneOverdue: ({ tally: { overdue } }) => [`${count(overdue)} items were overdue at the end`],
  tableAsWritten: ({ contradictions }) => contradictions,
  nothingFailed: ({ failures, excusedFailures }) => [...failures, ...excusedFailures],
  heldKept: ({ held }) => [
    `${count(held?.items ?? 0)} items were held in time, but ${count(held?.kept ?? 0)} were kept`,
  ],
  allArchived: ({ tally, followed: { archive } }) =>
    unlessNothing(tally, `${count(archive?.items ?? 0)} are in the archive`),
  onlyExpiredArchived: ({ followed: { archive } }) => wrongly(archive, 'are in the archive'),
  archivedAsWritten: ({ followed: { archive } }) => [
    `${count(archive?.altered ?? 0)} items are in the archive otherwise than they were last written`,
  ],
  archivedFirst: ({ followed: { archive } }) => [
    `${count(archive?.withoutCopy ?? 0)} items were deleted without a copy of them in the archive`,
  ],
  eventOfEach: ({ tally, followed: { events } }) =>
    unlessNothing(tally, `events of ${count(events?.items ?? 0)} came`),
  eventsOnlyOfExpired: ({ followed: { events } }) => wrongly(events, 'became events'),
  eventsAsWritten: ({ followed: { events } }) => [
    `the events of ${count(events?.altered ?? 0)} items say something else than was last written`,
  ],
};

function wrongly(arrived: Arrived | undefined, what: string): string[] {
  const { strays = 0, doubtful = 0 } = arrived ?? {};
  return [
    ...(strays > 0 ? [`${count(strays)} items ${what} that had not expired`] : []),
    ...(doubtful > 0
      ? [
          `${count(doubtful)} items ${what} that the application deleted before they expired: this machine read the table's stream too late to tell`,
        ]
      : []),
  ];
}

/** That nothing expired is said elsewhere. */
function unlessNothing({ expired, deleted }: Tally, what: string): string[] {
  return expired === 0 ? [] : [`${count(deleted)} items expired and were deleted, but ${what}`];
}

export interface ReportContext {
  /** Whether sessions are renewed in this run. */
  readonly renewals: boolean;
  readonly executions: number;
  /** What the table's expiries lead to. @default nothing */
  readonly following?: Following;
  /** Items that the application deleted. @default 0 */
  readonly deletedByUs?: number;
}

type Row = readonly [sign: string, name: string, value: string, note: string];

/** The summary a person reads. */
export function formatReport(judged: Judged, context: ReportContext): string {
  const rows = rowsOf(judged.result, context);
  const width = (column: 1 | 2) => Math.max(...rows.map(row => row[column].length));
  const lines = rows.map(([sign, name, value, note]) =>
    `  ${sign} ${name.padEnd(width(1))}  ${value.padEnd(width(2))}  ${note}`.trimEnd(),
  );
  return [...lines, '', ...verdictLines(judged)].join('\n');
}

function rowsOf(result: DemoResult, context: ReportContext): Row[] {
  const { renewals, executions } = context;
  const { written, expired, deleted, liveDeleted, overdue, lagMs, promisedLagMs, promises, verdict } = result;
  const signs: Readonly<Record<Status, string>> = { kept: '✓', broken: '✗', undecided: '?' };
  const sign = (...names: PromiseName[]): string => {
    const statuses = promises.filter(({ name }) => names.includes(name)).map(({ status }) => status);
    const worst = (['broken', 'undecided'] as const).find(status => statuses.includes(status)) ?? 'kept';
    return verdict === 'interrupted' ? ' ' : signs[worst];
  };
  const found = (name: PromiseName) => promises.find(promise => promise.name === name);
  const ofAll = (name: PromiseName) =>
    `${count(found(name)?.got ?? 0)} of ${count(found(name)?.expected ?? 0)}`;
  const lag = `${seconds(lagMs.p50)} / ${seconds(lagMs.p99)} / ${seconds(lagMs.max)}`;
  return [
    [' ', 'written', count(written), 'sessions'],
    [
      sign('expiredDeleted'),
      'expired = deleted',
      `${count(expired)} = ${count(deleted)}`,
      "seen in the table's stream",
    ],
    [sign('goneInTime'), 'gone in time', ofAll('goneInTime'), `promised: ${describePromise(promisedLagMs)}`],
    [' ', 'lag p50 / p99 / max', deleted === 0 ? '–' : lag, 'from expiry to deletion'],
    [sign('liveKept'), 'live items deleted', count(liveDeleted), ''],
    [
      renewals ? sign('renewedKept') : ' ',
      'renewed, kept',
      renewals ? ofAll('renewedKept') : '–',
      renewals ? 'renewed or made permanent in their last seconds' : NO_RENEWALS,
    ],
    ...(found('heldKept') === undefined
      ? []
      : ([
          [
            sign('heldKept'),
            'held, kept',
            ofAll('heldKept'),
            'held by the application in their last seconds',
          ],
        ] as Row[])),
    ...followerRows(result, context, sign),
    [sign('noneOverdue'), 'overdue at the end', count(overdue), ''],
    [
      sign('tableAsWritten'),
      'contradictions',
      count(found('tableAsWritten')?.got ?? 0),
      'between the table at the end and what was written',
    ],
    [
      sign('nothingFailed'),
      'failures',
      count(found('nothingFailed')?.got ?? 0),
      `of ${count(executions)} executions, their starts, and what surrounds them`,
    ],
  ];
}

function followerRows(
  { deleted, archive, events }: DemoResult,
  { following = {}, deletedByUs = 0 }: ReportContext,
  sign: (...names: PromiseName[]) => string,
): Row[] {
  const arrived = [
    ...(archive === undefined ? [] : ([['archived', archive]] as const)),
    ...(events === undefined ? [] : ([['events', events]] as const)),
  ];
  if (arrived.length === 0) return [];
  const wrongNote = `not expired, or not as last written; the application deleted ${count(deletedByUs)} itself`;
  const lag = ({ lagMs: { p50, p99, max } }: Arrived) =>
    [p50, p99, max].map(ms => (ms === null ? '–' : seconds(ms))).join(' / ');
  const wrong = ({ strays, doubtful, altered }: Arrived) => count(strays + doubtful + altered);
  return [
    [
      sign('allArchived', 'eventOfEach'),
      ['deleted', ...arrived.map(([name]) => name)].join(' = '),
      [deleted, ...arrived.map(([, { items }]) => items)].map(count).join(' = '),
      `each item once; delivered twice: ${arrived.map(([name, { again }]) => `${count(again)} ${name}`).join(', ')}`,
    ],
    ...(archive === undefined
      ? []
      : ([
          [
            ' ',
            'archive lag',
            lag(archive),
            `from expiry to the object; ${count(archive.objects)} objects, batchSeconds: ${following.archive?.batchSeconds ?? 0}`,
          ],
          [sign('onlyExpiredArchived', 'archivedAsWritten'), 'archived wrongly', wrong(archive), wrongNote],
        ] as Row[])),
    ...(archive?.withoutCopy === undefined
      ? []
      : ([
          [
            sign('archivedFirst'),
            'deleted uncopied',
            count(archive.withoutCopy),
            'archiveFirst: an item is copied before it is deleted',
          ],
        ] as Row[])),
    ...(events === undefined
      ? []
      : ([
          [
            ' ',
            'event lag',
            lag(events),
            `from expiry to the event; to ${following.events?.destination ?? 'nobody'}`,
          ],
          [sign('eventsOnlyOfExpired', 'eventsAsWritten'), 'events wrongly', wrong(events), wrongNote],
        ] as Row[])),
  ];
}

/** Why nothing is renewed in the batch mode. */
export const NO_RENEWALS = "none: deleteMode 'batch' is for keys that are never written again";

function verdictLines({ result, violations, doubts }: Judged): string[] {
  const machine = describeMachine(result.machine);
  const aboutMachine = machine === undefined ? [] : [`  This machine: ${machine}.`];
  const list = (sign: string, title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [title, ...sentences.map(sentence => `  ${sign} ${sentence}`)];
  if (result.verdict === 'interrupted') {
    return ['  Interrupted: this is what is known so far; nothing was judged.'];
  }
  if (result.verdict === 'kept') return ['  Every promise was kept.'];
  return [
    ...list('✗', '  Not as promised:', violations),
    ...list('?', '  Not decided:', doubts),
    ...aboutMachine,
    ...(violations.length === 0 && machine !== undefined
      ? [
          '  Run it again while the machine has less to do, or with a lower --rate, to see what the sweep can do.',
        ]
      : []),
  ];
}

/** Shorter than this says nothing about a run of minutes. */
const WORTH_SAYING_MS = 500;

/** What a machine did instead of our work; undefined when that isn't worth a word. */
export function describeMachine(machine: MachineReport): string | undefined {
  const { stoodStillMs, busyMs, slowAnswersMs, clockSetBackMs } = machine;
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

/** @param lagMs milliseconds from expiry to deletion, of what is written in good time */
export function describePromise(lagMs: number): string {
  return `gone within ${seconds(lagMs)} of expiry`;
}

/** One line for while it runs, as narrow as 80 columns for a run of ordinary size. */
export function formatProgress(tally: Tally, lags: readonly number[], secondsLeft: number): string {
  const { p50, max } = lagOf(lags);
  const lag = lags.length > 0 ? `${(p50 / 1000).toFixed(1)}/${seconds(max)}` : '–';
  return [
    `written ${count(tally.written)}`,
    `expired ${count(tally.expired)}`,
    `deleted ${count(tally.deleted)}`,
    `overdue ${count(tally.overdue)}`,
    `lag ${lag}`,
    secondsLeft > 0 ? clock(secondsLeft) : 'last tick',
  ].join('  ');
}

/** One line for while what was deleted is archived, and events come of it. */
export function formatFollowing(
  deleted: number,
  { archive, events }: Following,
  arrivals: { readonly archived: number; readonly events: number },
): string {
  return [
    `deleted ${count(deleted)}`,
    ...(archive === undefined ? [] : [`archived ${count(arrivals.archived)}`]),
    ...(events === undefined ? [] : [`events ${count(arrivals.events)}`]),
  ].join('  ');
}

function clock(total: number): string {
  return `${Math.floor(total / 60)}:${String(Math.floor(total % 60)).padStart(2, '0')}`;
}
