import { count, span } from '../numbers.ts';

/** Where some work is. */
export interface Work {
  /** What it works on, such as a table or a date. @default nothing is said */
  readonly at?: string;
  /** The things that it counts, such as items. */
  readonly what: string;
  readonly done: number;
  /** All of them; undefined or 0: nobody knows. */
  readonly total?: number | undefined;
  /** What was done when the time began, as by an earlier run. @default 0 */
  readonly doneBefore?: number;
  /** Since the begin. */
  readonly seconds: number;
  /** Further counts. */
  readonly more?: readonly string[];
}

/** Work of less time says nothing of its rate, nor of the time left. */
export const MEASURED_SECONDS = 1;

/** How far some work is, how fast, and how long the rest takes if it goes on so: on one line. */
export function describeWork({
  at,
  what,
  done,
  total = 0,
  doneBefore = 0,
  seconds,
  more = [],
}: Work): string {
  const measured = done - doneBefore;
  const isMeasured = measured > 0 && seconds >= MEASURED_SECONDS;
  const left = (seconds / measured) * (total - done);
  return [
    ...(at === undefined ? [] : [at]),
    ...(total > 0 ? [`${Math.min(100, Math.floor((done / total) * 100))} %`] : []),
    `${count(done)}${total > 0 ? ` of ${count(total)}` : ''} ${what}`,
    ...(isMeasured ? [describeRate(measured / seconds)] : []),
    ...(isMeasured && left > 0 ? [`about ${span(left)} left`] : []),
    ...more,
  ].join('  ');
}

function describeRate(perSecond: number): string {
  if (perSecond >= 1) return `${count(perSecond)} a second`;
  return perSecond >= 1 / 60 ? `${count(perSecond * 60)} a minute` : `${count(perSecond * 3600)} an hour`;
}

/** Describes work that begins now. */
export function workFromNow(now: () => number = Date.now): (work: Omit<Work, 'seconds'>) => string {
  const from = now();
  return work => describeWork({ ...work, seconds: (now() - from) / 1000 });
}
