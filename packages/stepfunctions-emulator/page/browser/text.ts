import type { PageExecution } from '../../src/page/data.ts';
import type { Outcome } from '../model/history.ts';

export function duration(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  if (ms < 3_600_000) return inTwo(ms, [60_000, 'min'], [1_000, 's']);
  if (ms < 86_400_000) return inTwo(ms, [3_600_000, 'h'], [60_000, 'min']);
  return inTwo(ms, [86_400_000, 'd'], [3_600_000, 'h']);
}

type Unit = readonly [ms: number, name: string];

/** A duration in two units, such as `2 min 5 s`. A smaller unit of zero is left out: `2 min`. */
function inTwo(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** A time in UTC without milliseconds, such as `2026-11-28 12:00:00 UTC`. */
export const moment = (epochMs: number): string =>
  `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A time in UTC for lists, without the year. If the date is today, the date is left out, too: `12:00:00 UTC`. */
export function shortMoment(epochMs: number): string {
  const text = moment(epochMs);
  return text.slice(0, 10) === moment(Date.now()).slice(0, 10) ? text.slice(11) : text.slice(5);
}

export const count = (number: number, one: string, more = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : more}`;

export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  caught: 'failed, caught',
  failed: 'failed',
  cutOff: 'cut off',
};

/** A sign beside the colour of an outcome, for people who cannot tell red from green. */
export const SIGNS: Readonly<Record<Outcome, string>> = {
  running: '',
  succeeded: '',
  caught: '! ',
  failed: '✗ ',
  cutOff: '– ',
};

export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

type Status = PageExecution['status'];

/** The status in words: `timed out` for TIMED_OUT. */
export const wordsOf = (status: Status): string => status.toLowerCase().replace('_', ' ');

export const outcomeOf = (status: Status): Outcome => STATUS_OUTCOMES[status];

const STATUS_OUTCOMES = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  ABORTED: 'cutOff',
} as const;
