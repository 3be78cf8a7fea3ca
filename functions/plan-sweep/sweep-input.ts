import type { ExpiryModel } from '../../expiry/model.ts';
import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { MAX_STEPS, ROUND_TARGETS } from '../../statemachine/contract.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';

/** What an execution was asked to sweep, checked; times in epoch seconds. */
export interface SweepRequest {
  /** Windows that may hold a TTL in [windowsFrom, windowsBefore) are probed. */
  readonly windowsFrom: number;
  readonly windowsBefore: number;
  /** The first TTL to take out of such a window. */
  readonly from: number;
  readonly before: number;
  /** What is expired: ttl <= cutoff. Never later than the start of the execution. */
  readonly cutoff: number;
  /** The expiry times that this tick owns and waits for; null when it only looks back. */
  readonly upcoming: { readonly from: number; readonly before: number } | null;
  readonly dryRun: boolean;
  /** The input was that of a tick or reconcile, not of a replay. */
  readonly isTick: boolean;
}

const FIELDS = ['scheduledTime', 'lookbackMinutes', 'skipMinutes', 'from', 'to', 'dryRun'] as const;
type Field = (typeof FIELDS)[number];

/** 31 days: a longer gap is a replay's business, and a typing error should not read a year of windows each minute. */
export const MAX_LOOKBACK_MINUTES = 31 * 24 * 60;

/** The parts of a reconcile start within an hour, and the oldest looks back to where it would have if it were the first. */
const MAX_PART_LOOKBACK_MINUTES = MAX_LOOKBACK_MINUTES + 60;

/** (window, shard) pairs of one execution: two steps a round, each round full. */
export const MAX_PAIRS = (MAX_STEPS / 2) * ROUND_TARGETS;

/**
 * Seconds from a tick's time to the minute of expiry times that it owns, the upcoming minute, and its length. Scheduler fires
 * anywhere within the minute, so a tick owns the minute after the next: its children are there before it begins.
 */
const LEAD_SECONDS = 60;
const UPCOMING_SECONDS = 60;

/** What of the deployment decides how an input is read. */
export interface TickSettings {
  /** A tick's lookback when its input names none. */
  readonly lookbackMinutes: number;
  /** Below 60, each tick owns an upcoming minute; 60 is the plain mode, which sweeps at the tick. */
  readonly precisionSeconds: number;
}

/**
 * Checks the input of an execution.
 *
 * @param input what the execution was started with
 * @param startedAtMs when the execution started, epoch milliseconds: a cutoff frozen here is never later
 * @throws InvalidExecutionInputError naming the field
 */
export function readSweepInput(input: unknown, startedAtMs: number, settings: TickSettings): SweepRequest {
  const fields = readFields(input);
  return 'scheduledTime' in fields
    ? readTick(fields, startedAtMs, settings)
    : readReplay(fields, startedAtMs);
}

/**
 * Refuses more windows than one execution can be sure to get through. The schedules of a deployment stay below that: its
 * configuration is checked against the same bound.
 * @throws InvalidExecutionInputError
 */
export function checkSpan(
  { windowsFrom, windowsBefore, isTick }: Pick<SweepRequest, 'windowsFrom' | 'windowsBefore' | 'isTick'>,
  { granularitySeconds, shards }: Pick<ExpiryModel, 'granularitySeconds' | 'shards'>,
): void {
  const windows = Math.ceil((windowsBefore - windowsFrom) / granularitySeconds);
  if (windows * shards <= MAX_PAIRS) return;
  const hours = Math.floor((MAX_PAIRS / shards) * (granularitySeconds / 3600));
  throw invalid(
    isTick ? 'lookbackMinutes' : 'to',
    `a span of at most ${MAX_PAIRS} windows and shards, here ${hours} hours: sweep a longer one in parts`,
    `${windows} windows of ${shards} shard(s)`,
  );
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
  for (const field of ['lookbackMinutes', 'skipMinutes'] as const) {
    if (field in fields && !('scheduledTime' in fields)) {
      throw invalid(field, `${field} together with scheduledTime only`, input);
    }
  }
  if ('skipMinutes' in fields && !('lookbackMinutes' in fields)) {
    throw invalid('skipMinutes', 'skipMinutes together with lookbackMinutes only', input);
  }
  return fields;
}

function readTick(fields: Fields, startedAtMs: number, settings: TickSettings): SweepRequest {
  const scheduled = readTime('scheduledTime', fields.scheduledTime);
  // Not `??`: a null is not the default, it is a wrong value.
  const looksBackOnly = 'lookbackMinutes' in fields;
  const lookback = looksBackOnly
    ? readMinutes('lookbackMinutes', fields.lookbackMinutes, 1, MAX_PART_LOOKBACK_MINUTES)
    : settings.lookbackMinutes;
  const skipped =
    'skipMinutes' in fields ? readMinutes('skipMinutes', fields.skipMinutes, 0, lookback - 1) : 0;
  const upcoming = looksBackOnly ? null : upcomingMinute(scheduled, startedAtMs, settings);
  // With an upcoming minute, what expires in this very second belongs to the tick before.
  const cutoff = toEpochSeconds(Math.min(scheduled, startedAtMs)) - (upcoming ? 1 : 0);
  return {
    windowsFrom: cutoff - lookback * 60,
    windowsBefore: cutoff + 1 - skipped * 60,
    // Whatever such a window holds that is expired, also when it was stamped into the wrong one.
    from: expiredRange(cutoff).after + 1,
    before: cutoff + 1,
    cutoff,
    upcoming,
    dryRun: false,
    isTick: true,
  };
}

/** A reconcile (a tick with a lookback of its own) owns no minute, nor does a tick whose time is yet to come. */
function upcomingMinute(scheduledMs: number, startedAtMs: number, { precisionSeconds }: TickSettings) {
  if (precisionSeconds >= UPCOMING_SECONDS || scheduledMs > startedAtMs + LEAD_SECONDS * 1000) return null;
  const minute = Math.floor(toEpochSeconds(scheduledMs) / 60) * 60;
  return { from: minute + LEAD_SECONDS, before: minute + LEAD_SECONDS + UPCOMING_SECONDS };
}

function readMinutes(field: Field, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(field, `a whole number of minutes from ${least} to ${most}`, value);
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
  const dryRun = 'dryRun' in fields ? fields.dryRun : false;
  if (typeof dryRun !== 'boolean') throw invalid('dryRun', 'true or false', dryRun);
  const before = Math.min(Math.ceil(toMs / 1000), cutoff + 1);
  return {
    windowsFrom: from,
    windowsBefore: before,
    from,
    before,
    cutoff,
    upcoming: null,
    dryRun,
    isTick: false,
  };
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
