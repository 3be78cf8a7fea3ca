import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { InvalidExecutionInputError } from './errors.ts';

/** What an execution was asked to sweep, checked; times in epoch seconds. */
export interface SweepRequest {
  /** Windows that may hold a TTL in [windowsFrom, before) are looked into. */
  readonly windowsFrom: number;
  /** The first TTL to take out of such a window. */
  readonly from: number;
  readonly before: number;
  /** What is expired: ttl <= cutoff. Never later than the start of the execution. */
  readonly cutoff: number;
  readonly dryRun: boolean;
}

const FIELDS = ['scheduledTime', 'lookbackMinutes', 'from', 'to', 'dryRun'] as const;
type Field = (typeof FIELDS)[number];

/** 31 days: a longer gap is a replay's business, and a typing error should not read a year of windows each minute. */
export const LONGEST_LOOKBACK_MINUTES = 31 * 24 * 60;

/**
 * Checks the input of an execution.
 *
 * @param input what the execution was started with
 * @param startedAtMs when the execution started, epoch milliseconds: items that expire later are out of reach,
 *   whatever the input says
 * @param lookbackMinutes the deployment's default
 * @throws InvalidExecutionInputError naming the field
 */
export function readSweepInput(input: unknown, startedAtMs: number, lookbackMinutes: number): SweepRequest {
  const fields = readFields(input);
  return 'scheduledTime' in fields
    ? readTick(fields, startedAtMs, lookbackMinutes)
    : readReplay(fields, startedAtMs);
}

type Fields = Partial<Record<Field, unknown>>;

function readFields(input: unknown): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('input', 'an object', input);
  }
  const unknown = Object.keys(input).find(name => !FIELDS.some(field => field === name));
  if (unknown !== undefined) {
    throw invalid(unknown, `one of the fields ${FIELDS.join(', ')}`, `the field ${unknown}`);
  }
  const fields: Fields = input;
  const replay = (['from', 'to', 'dryRun'] as const).filter(field => field in fields);
  if ('scheduledTime' in fields && replay.length > 0) {
    throw invalid('scheduledTime', `either scheduledTime or from and to, not both`, input);
  }
  if ('lookbackMinutes' in fields && !('scheduledTime' in fields)) {
    throw invalid('lookbackMinutes', 'lookbackMinutes together with scheduledTime only', input);
  }
  return fields;
}

function readTick(fields: Fields, startedAtMs: number, defaultLookback: number): SweepRequest {
  const scheduled = readTime('scheduledTime', fields.scheduledTime);
  const lookback = fields.lookbackMinutes ?? defaultLookback;
  if (
    typeof lookback !== 'number' ||
    !Number.isInteger(lookback) ||
    lookback < 1 ||
    lookback > LONGEST_LOOKBACK_MINUTES
  ) {
    throw invalid(
      'lookbackMinutes',
      `a whole number of minutes from 1 to ${LONGEST_LOOKBACK_MINUTES}`,
      lookback,
    );
  }
  const cutoff = toEpochSeconds(Math.min(scheduled, startedAtMs));
  return {
    windowsFrom: cutoff - lookback * 60,
    // Whatever such a window holds that is expired, also when it was stamped into the wrong one.
    from: expiredRange(cutoff).after + 1,
    before: cutoff + 1,
    cutoff,
    dryRun: false,
  };
}

function readReplay(fields: Fields, startedAtMs: number): SweepRequest {
  if (!('from' in fields) && !('to' in fields)) {
    throw invalid('scheduledTime', 'either scheduledTime, or from and to', undefined);
  }
  const fromMs = readTime('from', fields.from);
  const toMs = readTime('to', fields.to);
  if (fromMs >= toMs) throw invalid('from', `a time before to (${fields.to})`, fields.from);
  const cutoff = toEpochSeconds(startedAtMs);
  const from = toEpochSeconds(fromMs);
  if (from <= expiredRange(cutoff).after) {
    throw invalid('from', 'a time less than five years back: older TTLs are ignored', fields.from);
  }
  const dryRun = fields.dryRun ?? false;
  if (typeof dryRun !== 'boolean') throw invalid('dryRun', 'true or false', dryRun);
  return { windowsFrom: from, from, before: Math.min(Math.ceil(toMs / 1000), cutoff + 1), cutoff, dryRun };
}

/** Date, `T`, time with seconds, optional fraction, and a zone: a time without one means another moment elsewhere. */
const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

function readTime(field: Field, value: unknown): number {
  const match = typeof value === 'string' ? ISO_TIME.exec(value) : null;
  const epochMs = match ? Date.parse(match[0]) : Number.NaN;
  if (!match || Number.isNaN(epochMs) || !isCalendarDay(match)) {
    throw invalid(field, 'a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z', value);
  }
  return epochMs;
}

/** Date.parse takes 30 February for 2 March. */
function isCalendarDay([, year, month, day]: RegExpExecArray): boolean {
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
}

function invalid(field: string, expected: string, got: unknown): InvalidExecutionInputError {
  return new InvalidExecutionInputError({
    field,
    expected,
    got,
    remedy:
      'Start the execution with {"scheduledTime": "<time>"} or {"from": "<time>", "to": "<time>"}. Nothing was swept.',
  });
}
