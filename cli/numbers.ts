export const count = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
export const decimal = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** A price of us-east-1 in words. */
export function dollars(value: number): string {
  return value > 0 && value < 0.01
    ? 'less than $0.01'
    : `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export function bytes(value: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;
  const step = value < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${decimal(value / 1024 ** step)} ${units[step]}`;
}

/** `40 s`, `12 min`, `3.5 hours` */
export function span(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.ceil(seconds))} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${decimal(seconds / 3600)} hours`;
}

/** The first lines of a list, and the number of the others. @param where the others are */
export function firstLines(
  lines: readonly string[],
  { shown, indent = '  ', all = lines.length, where = ': --json FILE has all' }: FirstLines,
): string[] {
  const first = lines.slice(0, shown).map(line => `${indent}${line}`);
  return all > first.length ? [...first, `${indent}and ${count(all - first.length)} more${where}`] : first;
}

interface FirstLines {
  readonly shown: number;
  readonly indent?: string;
  /** Number of all lines, if `lines` has only some of them. */
  readonly all?: number;
  readonly where?: string;
}

/** One count: its name, its value, and a note that may be empty. */
export type CountRow = readonly [name: string, value: number, note: string];

/** Prints counts as a table: names aligned left, numbers aligned right. */
export function countTable(rows: readonly CountRow[]): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length)) + 2;
  const width = Math.max(...rows.map(([, value]) => grouped(value).length));
  return rows
    .map(([name, value, note]) =>
      `  ${name.padEnd(nameWidth)}${grouped(value).padStart(width)}  ${note}`.trimEnd(),
    )
    .join('\n');
}

const grouped = (value: number): string => value.toLocaleString('en-US');

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
