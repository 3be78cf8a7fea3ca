import type { Pause, SweepKind } from '../../functions/journal/layout.ts';
import { FATES, wordsOf } from '../../statemachine/counts.ts';
import { isoSeconds } from '../times.ts';
import type { SweepOutcome, SweepReport } from './sweep.ts';

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
  const what = KINDS[kind].padEnd(KINDS.handOver.length);
  const isUnplanned = status === 'FAILED' && outcome.found + outcome.shardsFailed === 0;
  const text = isUnplanned ? 'nothing was swept' : describeOutcome(outcome);
  return `${clockTime(began, now)}  ${what}  ${status} in ${seconds} s: ${text}`;
}

interface Times {
  readonly startedAt: Date | string;
  readonly stoppedAt: Date | string;
}

const KINDS: Readonly<Record<SweepKind, string>> = {
  tick: 'tick',
  replay: 'replay',
  handOver: 'hand-over',
};

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

const count = (value: number): string => value.toLocaleString('en-US');

/** @param pause undefined if there is none, or if it has ended */
export function describePause(pause: Pause | undefined): string {
  if (pause === undefined) return 'running';
  const since = isoSeconds(Date.parse(pause.since));
  return pause.until === undefined
    ? `paused since ${since}`
    : `paused since ${since}, until ${isoSeconds(Date.parse(pause.until))}`;
}
