import { count, span } from '../numbers.ts';

/** The progress of some work. */
export interface Work {
  /** The current object of the work, such as a table or a date. @default none is shown */
  readonly at?: string;
  /** The unit of the counts, such as items. */
  readonly what: string;
  readonly done: number;
  /** Number of all units; undefined or 0 if it is unknown. */
  readonly total?: number | undefined;
  /** Measured time, seconds. */
  readonly seconds: number;
  /** Further counts. */
  readonly more?: readonly string[];
}

/** The rate and the time left are shown only after this time, seconds. */
export const MEASURED_SECONDS = 1;

/** Describes progress on one line: the counts, the rate, and the time left at this rate. */
export function describeWork({ at, what, done, total = 0, seconds, more = [] }: Work): string {
  const isMeasured = done > 0 && seconds >= MEASURED_SECONDS;
  const left = (seconds / done) * (total - done);
  return [
    ...(at === undefined ? [] : [at]),
    ...(total > 0 ? [`${Math.min(100, Math.floor((done / total) * 100))} %`] : []),
    `${count(done)}${total > 0 ? ` of ${count(total)}` : ''} ${what}`,
    ...(isMeasured ? [describeRate(done / seconds)] : []),
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
