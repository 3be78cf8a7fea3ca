export interface Kind<T> {
  readonly type: 'string' | 'number' | 'boolean';
  readonly accepts: (value: unknown) => value is T;
  readonly expected: string;
  /** Cause of the failure when `accepts` refuses a value, in AWS's own words. @default a general text */
  readonly causeOf?: (value: unknown) => string;
}

export const isText = (value: unknown): value is string => typeof value === 'string';

export const TEXT: Kind<string> = { type: 'string', accepts: isText, expected: 'a string' };

export const BOOLEAN: Kind<boolean> = {
  type: 'boolean',
  accepts: value => typeof value === 'boolean',
  expected: 'a boolean',
};

export const integerFrom = (least: number, most = Number.MAX_SAFE_INTEGER): Kind<number> => ({
  type: 'number',
  accepts: (value): value is number =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  expected:
    most === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${least}`
      : `an integer from ${least} to ${most}`,
});

export const PERCENTAGE: Kind<number> = {
  type: 'number',
  accepts: (value): value is number => typeof value === 'number' && value >= 0 && value <= 100,
  expected: 'a number from 0 to 100',
};

export const TIMESTAMP: Kind<string> = {
  type: 'string',
  accepts: (value): value is string => isText(value) && parseTimestamp(value) !== undefined,
  expected: 'a time such as 2030-01-31T12:00:00.000Z',
  causeOf: value =>
    `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${value}`,
};

const OFFSET_DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2}(?::\d{2})?)$/i;
/** Largest time zone offset in Java, minutes. AWS seems to parse times with Java: AWS's messages name Java's date-time format. */
const MAX_OFFSET_MINUTES = 18 * 60;

/**
 * Converts an ISO-8601 date-time to epoch milliseconds; undefined for a text that a Wait state does not accept. Digits beyond milliseconds
 * are dropped.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = OFFSET_DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, date = '', hours, minutes, seconds = '0', fraction = '', zone = 'Z'] = match;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Date.parse turns 30 February into 2 March: the comparison with `date` finds such a day.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  if (h > 23 || m > 59 || s > 59) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const millis = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return midnight + ((h * 60 + m - offset) * 60 + s) * 1000 + millis;
}

function offsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0, seconds = 0] = zone.slice(1).split(':').map(Number);
  const size = hours * 60 + minutes + seconds / 60;
  if (minutes > 59 || seconds > 59 || size > MAX_OFFSET_MINUTES) return undefined;
  return zone.startsWith('-') ? -size : size;
}
