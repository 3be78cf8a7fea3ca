import type { Pause, SweepKind, SweepRow } from '../../functions/journal/layout.ts';
import { leftNothing } from '../../functions/report/sweep-totals.ts';
import type { ListedFailure } from '../../statemachine/contract/keys.ts';
import { BUSY, REFUSED } from '../../statemachine/contract/machines.ts';
import type {
  SweepReport as ExecutionReport,
  LagSummary,
  PlanFailure,
} from '../../statemachine/contract/report.ts';
import { FATES, wordsOf } from '../../statemachine/counts.ts';
import { isoSeconds } from '../times.ts';

/** Counts of an execution that are shown. */
export const OUTCOME_COUNTS = ['found', 'shardsFailed', 'leftForLater', 'throttled', ...FATES] as const;

/** The counts in the report of an execution. */
export interface SweepOutcome extends Readonly<Record<(typeof OUTCOME_COUNTS)[number], number>> {
  /** Null when nothing was deleted. */
  readonly lagMs: LagSummary | null;
}

/** The result of an execution for a table. */
export interface Sweep {
  /** Name of the execution. */
  readonly name: string;
  readonly kind: SweepKind;
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly startedAt: Date;
  readonly stoppedAt: Date;
  readonly outcome: SweepOutcome;
  /** The failure in words; undefined if the execution succeeded. */
  readonly failure: string | undefined;
  /** Some of the keys that could not be deleted. */
  readonly failedKeys: readonly ListedFailure[];
}

/** Whether a sweep succeeded without finding any item. */
export function isIdle({ status, outcome }: Sweep): boolean {
  return status === 'SUCCEEDED' && outcome.found === 0;
}

export function sweepOf({ execution, kind, startedAt, endedAt, report }: SweepRow): Sweep {
  const outcome = outcomeOf(report);
  const failed = isFailed(report);
  return {
    name: execution,
    kind,
    status: failed ? 'FAILED' : 'SUCCEEDED',
    startedAt: new Date(startedAt),
    stoppedAt: new Date(endedAt),
    outcome,
    failure: failed ? failureInWords(report) : undefined,
    failedKeys: report.failedKeys,
  };
}

/** Whether a sweep left items that it should have deleted. */
export function isFailed(report: ExecutionReport): boolean {
  return report.failure !== undefined || !leftNothing(report);
}

export function outcomeOf(report: ExecutionReport): SweepOutcome {
  const counts = Object.fromEntries(OUTCOME_COUNTS.map(name => [name, report[name]]));
  return { ...counts, lagMs: report.lagMs ?? null } as SweepOutcome;
}

/** Characters of a message that are shown. */
const MESSAGE_LENGTH = 200;

/** Why items of a table were left, as a sentence without its full stop. It contains no keys. */
export function failureInWords({ failure, ...report }: ExecutionReport): string {
  return failure === undefined ? incomplete(report) : notPlanned(failure);
}

function notPlanned({ error, message }: PlanFailure): string {
  const line = firstLine(message);
  if (error === BUSY)
    return `DynamoDB throttled it, or did not answer, for longer than a sweep waits: ${line}`;
  if (error === REFUSED)
    return 'Lambda refused to run its functions: the account runs as many at once as it may';
  if (error === 'ResourceNotFoundException') return `the table or its index is not there: ${line}`;
  if (/AccessDenied|not authorized/i.test(`${error} ${message}`)) return `a role lacks a permission: ${line}`;
  return [error, line].filter(part => part).join(': ');
}

function incomplete({
  found,
  failed,
  shardsFailed,
  failedKeys,
}: Pick<ExecutionReport, 'found' | 'failed' | 'shardsFailed' | 'failedKeys'>): string {
  const reasons = [...new Set(failedKeys.map(({ reason }) => reason))].join(', ');
  const parts = [
    ...(failed > 0
      ? [`${count(failed)} of ${count(found)} items could not be deleted${reasons && ` (${reasons})`}`]
      : []),
    ...(shardsFailed > 0
      ? [`${count(shardsFailed)} ${shardsFailed === 1 ? 'child' : 'children'} did not get through`]
      : []),
  ];
  return parts.join(', and ');
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line.length > MESSAGE_LENGTH ? `${line.slice(0, MESSAGE_LENGTH)}…` : line;
}

const count = (value: number): string => value.toLocaleString('en-US');

/** An execution as JSON; times are ISO-8601. */
export interface SweepReport {
  readonly name: string;
  readonly kind: SweepKind;
  readonly status: Sweep['status'];
  readonly startedAt: string;
  readonly stoppedAt: string;
  readonly outcome: SweepOutcome;
  /** Null when it did not fail. */
  readonly failure: string | null;
}

export function sweepReport({
  name,
  kind,
  status,
  startedAt,
  stoppedAt,
  outcome,
  failure,
}: Sweep): SweepReport {
  return {
    name,
    kind,
    status,
    startedAt: startedAt.toISOString(),
    stoppedAt: stoppedAt.toISOString(),
    outcome,
    failure: failure ?? null,
  };
}

/** `2026-11-21 12:34:56Z` */
export function utc(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ').concat('Z');
}

/** `12:34:56Z`, with the date if it is not today's. */
export function clockTime(time: Date, now: Date): string {
  const text = utc(time);
  return text.slice(0, 10) === utc(now).slice(0, 10) ? text.slice(11) : text;
}

/** A sweep on one line: its start, its kind, its end, and its counts. */
export function describeSweepLine(
  { startedAt, stoppedAt, kind, status, outcome }: Pick<SweepReport, 'kind' | 'status' | 'outcome'> & Times,
  now: Date,
): string {
  const [began, ended] = [new Date(startedAt), new Date(stoppedAt)];
  const seconds = ((ended.getTime() - began.getTime()) / 1000).toFixed(1);
  const what = kind.padEnd('replay'.length);
  const isUnplanned = status === 'FAILED' && outcome.found + outcome.shardsFailed === 0;
  const text = isUnplanned ? 'nothing was swept' : describeOutcome(outcome);
  return `${clockTime(began, now)}  ${what}  ${status} in ${seconds} s: ${text}`;
}

interface Times {
  readonly startedAt: Date | string;
  readonly stoppedAt: Date | string;
}

/** The number of found items and what happened to them; counts of 0 are left out. */
export function describeOutcome(outcome: SweepOutcome): string {
  const { found, shardsFailed, leftForLater, lagMs } = outcome;
  if (found + shardsFailed + leftForLater === 0) return 'nothing to do';
  return [
    `found ${count(found)}`,
    ...FATES.flatMap(fate => (outcome[fate] === 0 ? [] : [`${wordsOf(fate)} ${count(outcome[fate])}`])),
    ...(shardsFailed === 0 ? [] : [`children failed ${count(shardsFailed)}`]),
    ...(leftForLater === 0 ? [] : ['the rest left to a later sweep']),
    ...(lagMs === null ? [] : [`lag p50 ${seconds(lagMs.p50)}, p99 ${seconds(lagMs.p99)}`]),
  ].join(', ');
}

/** Milliseconds as seconds: `0.09 s`, `61.4 s`. */
function seconds(ms: number): string {
  const value = ms / 1000;
  return `${value < 10 ? value.toFixed(2) : value.toFixed(1)} s`;
}

/** @param pause undefined if there is none, or if it has ended */
export function describePause(pause: Pause | undefined): string {
  if (pause === undefined) return 'running';
  const since = isoSeconds(Date.parse(pause.since));
  return pause.until === undefined
    ? `paused since ${since}`
    : `paused since ${since}, until ${isoSeconds(Date.parse(pause.until))}`;
}
