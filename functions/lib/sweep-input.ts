import type { ExpiryModel } from '../../expiry/model.ts';
import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { MAX_STEPS, ROUND_TARGETS } from '../../statemachine/contract.ts';
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
  /** The expiry times that this tick owns and waits for; null when it only looks back. */
  readonly ahead: { readonly from: number; readonly before: number } | null;
  readonly dryRun: boolean;
  /** The input was that of a tick or reconcile, not of a replay. */
  readonly isTick: boolean;
}

const FIELDS = ['scheduledTime', 'lookbackMinutes', 'from', 'to', 'dryRun'] as const;
type Field = (typeof FIELDS)[number];

/** 31 days: a longer gap is a replay's business, and a typing error should not read a year of windows each minute. */
export const MAX_LOOKBACK_MINUTES = 31 * 24 * 60;

/** (window, shard) pairs of one execution: two steps a round, each round full. */
export const MAX_PAIRS = (MAX_STEPS / 2) * ROUND_TARGETS;

/**
 * Seconds from a tick's time to the span of expiry times that it owns, and the length of that span. Scheduler fires
 * anywhere within the minute, so a tick owns the minute after the next: its children are there before it begins.
 */
const AHEAD_SECONDS = 60;
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
  { windowsFrom, before, isTick }: SweepRequest,
  { granularitySeconds, shards }: Pick<ExpiryModel, 'granularitySeconds' | 'shards'>,
): void {
  const windows = Math.ceil((before - windowsFrom) / granularitySeconds);
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
  if ('lookbackMinutes' in fields && !('scheduledTime' in fields)) {
    throw invalid('lookbackMinutes', 'lookbackMinutes together with scheduledTime only', input);
  }
  return fields;
}

function readTick(fields: Fields, startedAtMs: number, settings: TickSettings): SweepRequest {
  const scheduled = readTime('scheduledTime', fields.scheduledTime);
  const lookback = fields.lookbackMinutes ?? settings.lookbackMinutes;
  if (!isWhole(lookback) || lookback < 1 || lookback > MAX_LOOKBACK_MINUTES) {
    throw invalid('lookbackMinutes', `a whole number of minutes from 1 to ${MAX_LOOKBACK_MINUTES}`, lookback);
  }
  const ahead =
    fields.lookbackMinutes === undefined ? upcomingMinute(scheduled, startedAtMs, settings) : null;
  // With an upcoming minute, what expires in this very second belongs to the tick before.
  const cutoff = toEpochSeconds(Math.min(scheduled, startedAtMs)) - (ahead ? 1 : 0);
  return {
    windowsFrom: cutoff - lookback * 60,
    // Whatever such a window holds that is expired, also when it was stamped into the wrong one.
    from: expiredRange(cutoff).after + 1,
    before: cutoff + 1,
    cutoff,
    ahead,
    dryRun: false,
    isTick: true,
  };
}

/** A reconcile (a tick with a lookback of its own) owns no minute, nor does a tick whose time is yet to come. */
function upcomingMinute(scheduledMs: number, startedAtMs: number, { precisionSeconds }: TickSettings) {
  if (precisionSeconds >= UPCOMING_SECONDS || scheduledMs > startedAtMs + AHEAD_SECONDS * 1000) return null;
  const minute = Math.floor(toEpochSeconds(scheduledMs) / 60) * 60;
  return { from: minute + AHEAD_SECONDS, before: minute + AHEAD_SECONDS + UPCOMING_SECONDS };
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
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
  const before = Math.min(Math.ceil(toMs / 1000), cutoff + 1);
  return { windowsFrom: from, from, before, cutoff, ahead: null, dryRun, isTick: false };
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
