import { Cron } from 'croner';
import { ScheduleError } from '../errors.ts';

/** The times of a schedule, epoch milliseconds. */
export interface Occurrences {
  /** The first time strictly after `after`; `undefined` when there is none. */
  next(after: number): number | undefined;
}

interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  readonly mayBeAny: boolean;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html
const CRON_FIELDS: readonly CronField[] = [
  { name: 'minutes', min: 0, max: 59, names: [], mayBeAny: false },
  { name: 'hours', min: 0, max: 23, names: [], mayBeAny: false },
  { name: 'day-of-month', min: 1, max: 31, names: [], mayBeAny: true },
  { name: 'month', min: 1, max: 12, names: MONTHS, mayBeAny: false },
  { name: 'day-of-week', min: 1, max: 7, names: DAYS, mayBeAny: true },
  { name: 'year', min: 1970, max: 2199, names: [], mayBeAny: false },
];

const RATE_UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/**
 * Reads an expression of EventBridge Scheduler: `cron(…)` with six fields or `rate(…)`.
 *
 * Expressions that AWS accepts and this parser does not (`at(…)`, the cron wildcards L, W and #) are errors: a schedule that fires at the
 * wrong time is worse than none.
 *
 * @param timezone an IANA name, used by cron
 * @param start when a rate begins to count, epoch milliseconds; cron doesn't depend on it
 * @param where for messages: the address of the schedule
 * @throws {ScheduleError}
 */
export function parseScheduleExpression(
  expression: string,
  timezone: string,
  start: number,
  where: string,
): Occurrences {
  const match = /^(cron|rate)\((.*)\)$/.exec(expression);
  if (match?.[1] === 'cron') return parseCron(match[2] ?? '', expression, timezone, where);
  if (match?.[1] === 'rate') return parseRate(match[2] ?? '', expression, start, where);
  throw new ScheduleError(
    `${where}.schedule_expression: expected cron(minutes hours day-of-month month day-of-week year) or ` +
      `rate(value unit), got "${expression}"`,
  );
}

function parseRate(text: string, expression: string, start: number, where: string): Occurrences {
  const [, count, unit, plural] = /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(text) ?? [];
  const milliseconds = unit && RATE_UNITS[unit];
  if (!milliseconds || (count === '1') === (plural === 's')) {
    throw new ScheduleError(
      `${where}.schedule_expression: expected rate(1 minute), rate(5 minutes), rate(1 hour)… (a whole number and ` +
        `minute, hour or day; the plural for more than one), got "${expression}"`,
    );
  }
  const period = Number(count) * milliseconds;
  // The rhythm is the same before the start time, which is reached only when the clock was set back.
  return { next: after => start + (Math.floor((after - start) / period) + 1) * period };
}

function parseCron(text: string, expression: string, timezone: string, where: string): Occurrences {
  const refuse = (problem: string): never => {
    throw new ScheduleError(`${where}.schedule_expression: ${problem}, got "${expression}"`);
  };
  const fields = text.trim().split(/\s+/);
  if (fields.length !== CRON_FIELDS.length) {
    refuse('expected six cron fields (minutes hours day-of-month month day-of-week year)');
  }
  if ((fields[2] === '?') === (fields[4] === '?')) {
    refuse('expected "?" in exactly one of day-of-month and day-of-week');
  }
  const pattern = CRON_FIELDS.map((field, i) => {
    const value = (fields[i] ?? '').toUpperCase();
    if (value === '?' && field.mayBeAny) return '*';
    if (/[LW#]/.test(value.replace(/[A-Z]{3}/g, ''))) {
      refuse(
        `the ${field.name} field "${value}" uses L, W or #, which the local scheduler doesn't implement; expected numbers, names, "*", "," "-" and "/"`,
      );
    }
    if (value === '*') return '*';
    const values = new Set(value.split(',').flatMap(item => expand(item, field, refuse)));
    // AWS counts days from SUN = 1, croner from SUN = 0.
    return [...values].map(n => (field.name === 'day-of-week' ? n - 1 : n)).join(',');
  });
  if (!isTimezone(timezone)) {
    throw new ScheduleError(
      `${where}.schedule_expression_timezone: expected an IANA time zone such as "UTC" or "Europe/Berlin", got "${timezone}"`,
    );
  }
  const cron = new Cron(`0 ${pattern.join(' ')}`, { mode: '7-part', timezone, paused: true });
  return { next: after => cron.nextRun(new Date(after))?.getTime() };
}

/** Expands one item of a field to its values: `5`, `1-5`, `*\/10`, `3/10`, `MON-FRI`. */
function expand(item: string, field: CronField, refuse: (problem: string) => never): number[] {
  const wrong = () =>
    refuse(
      `expected the ${field.name} field to hold ${field.min}-${field.max}${field.names.length ? ` or ${field.names[0]}-${field.names.at(-1)}` : ''} ` +
        `with "*", "," "-" and "/", but it holds "${item}"`,
    );
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) wrong();
  const number = (text: string | undefined): number => {
    const named = field.names.indexOf(text ?? '');
    const value = named >= 0 ? named + field.min : /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
    return value >= field.min && value <= field.max ? value : wrong();
  };
  const [from, to, ...more] = range.split('-');
  if (more.length > 0) wrong();
  const first = range === '*' ? field.min : number(from);
  // "3/10" counts from 3 to the end of the field.
  const last = to !== undefined ? number(to) : range === '*' || step !== undefined ? field.max : first;
  if (first > last) wrong();
  const values: number[] = [];
  for (let value = first; value <= last; value += Number(step ?? 1)) values.push(value);
  return values;
}

function isTimezone(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}
