import type { FollowedEvents } from '../ledger/followers.ts';
import type { Tally } from '../ledger/tally.ts';
import { clock, count, lagPercentiles, seconds } from '../report/numbers.ts';
import type { MachineReport } from '../watch/machine.ts';
import {
  holdAgainstPromises,
  type Kept,
  notKept,
  type PromiseName,
  type Seen,
  type Status,
  sum,
} from './promises.ts';

/** The outcome of a run; the exit status of `npm start` follows from it. */
export type Verdict = Status | 'interrupted';

/** The fields that `--json` writes, and no others. */
export interface DemoResult {
  readonly written: number;
  /** Items whose TTL passed while the job ran. */
  readonly expired: number;
  /** Expired items that were seen to be deleted. */
  readonly deleted: number;
  readonly liveDeleted: number;
  /** Items that were renewed or made permanent in their last seconds, and outlived their earlier TTL. */
  readonly renewedKept: number;
  readonly overdue: number;
  /** Milliseconds from expiry to deletion, as seen in the stream; 0 if nothing was deleted. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Most milliseconds from expiry to deletion that are promised for an item that is written in time. */
  readonly promisedLagMs: number;
  /** The events of each pipe, if the table has any. Their lag is from the expiry to the event. */
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
}

/** The observations of a run that is judged. */
export interface JudgedRun extends Seen {
  readonly interrupted: boolean;
}

export function lagOf(lags: readonly number[]): DemoResult['lagMs'] {
  const { p50, p99, max } = lagPercentiles(lags);
  return { p50: p50 ?? 0, p99: p99 ?? 0, max: max ?? 0 };
}

/** Judges a run that has ended. */
export function judge(run: JudgedRun): Judged {
  const { tally, lags, promisedLagMs, machine, interrupted, events } = run;
  const promises = holdAgainstPromises(run).map(
    (promise): Kept => (interrupted ? { ...promise, status: 'undecided' } : promise),
  );
  const statuses = promises.map(({ status }) => status);
  const judged = (['broken', 'undecided'] as const).find(status => statuses.includes(status)) ?? 'kept';
  const { written, expired, deleted, liveDeleted, renewedKept, overdue } = tally;
  const sentences = (status: Status) =>
    promises.filter(promise => promise.status === status).flatMap(promise => notKept(promise, run));
  return {
    result: {
      ...{ written, expired, deleted, liveDeleted, renewedKept, overdue, lagMs: lagOf(lags) },
      ...(events.length > 0 && { events }),
      ...{ promisedLagMs, verdict: interrupted ? 'interrupted' : judged, promises, machine },
    },
    violations: sentences('broken'),
    doubts: interrupted ? [] : sentences('undecided'),
  };
}

export interface ReportContext {
  /** Whether sessions are renewed in this run. */
  readonly renewals: boolean;
  readonly executions: number;
  /** Items that the application deleted. @default 0 */
  readonly deletedByUs?: number;
}

type Row = readonly [sign: string, name: string, value: string, note: string];

/** The summary for a person. */
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
    [
      sign('goneInTime'),
      'gone in time',
      ofAll('goneInTime'),
      `promised: ${describePromise(promisedLagMs)} if written in time`,
    ],
    [' ', 'lag p50 / p99 / max', deleted === 0 ? '–' : lag, 'from expiry to deletion'],
    [sign('liveKept'), 'live items deleted', count(liveDeleted), ''],
    [
      renewals ? sign('renewedKept') : ' ',
      'renewed, kept',
      renewals ? ofAll('renewedKept') : '–',
      renewals ? 'renewed or made permanent in their last seconds' : NO_RENEWALS,
    ],
    ...eventRows(result, context, sign),
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

function eventRows(
  { deleted, events = [] }: DemoResult,
  { deletedByUs = 0 }: ReportContext,
  sign: (...names: PromiseName[]) => string,
): Row[] {
  if (events.length === 0) return [];
  const lag = ({ lagMs: { p50, p99, max } }: FollowedEvents) =>
    [p50, p99, max].map(ms => (ms === null ? '–' : seconds(ms))).join(' / ');
  return [
    [
      sign('eventOfEach'),
      ['deleted', ...events.map(() => 'events')].join(' = '),
      [deleted, ...events.map(({ items }) => items)].map(count).join(' = '),
      `each item once; delivered twice: ${count(sum(events, ({ again }) => again))}`,
    ],
    ...events.map(
      (each): Row => [' ', 'event lag', lag(each), `from expiry to the event; to ${each.target}`],
    ),
    [
      sign('eventsOnlyOfExpired', 'eventsAsWritten'),
      'events wrongly',
      count(sum(events, ({ strays, doubtful, altered }) => strays + doubtful + altered)),
      `not expired, or not as last written; the application deleted ${count(deletedByUs)} itself`,
    ],
  ];
}

/** The reason why nothing is renewed in batch mode. */
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

/** A shorter standstill is not mentioned: it is unimportant in a run of minutes. */
const WORTH_SAYING_MS = 500;

/** A sentence about a machine that was busy with other work; undefined if it was not. */
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

/** The promise in words. @param lagMs most milliseconds from expiry to deletion of an item that is written in time */
export function describePromise(lagMs: number): string {
  return `gone within ${seconds(lagMs)} of expiry`;
}

/** The line of progress during a run; it fits into 80 columns for a run of ordinary size. */
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

/** The line of progress while the events of the deleted items come. @param arrivals number of events of each pipe */
export function formatFollowing(deleted: number, arrivals: readonly number[]): string {
  return [`deleted ${count(deleted)}`, ...arrivals.map(events => `events ${count(events)}`)].join('  ');
}
