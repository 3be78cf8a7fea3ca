import { boolean, fieldProblems, isObject, kind, text, type ValueOf, whole } from '../../expiry/fields.ts';
import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { unknownFieldProblems } from '../../expiry/unknown-fields.ts';
import { MAX_DELETES_PER_SECOND, MAX_PAIRS } from '../../statemachine/contract/limits.ts';
import { type BehindSettings, secondsBehind, sweptRange } from '../child/swept-range.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';
import type { IndexLayout } from '../table/index-layout.ts';

/**
 * The checked input of an execution. Its times are in epoch seconds and are compared with TTLs. With a margin a tick's times are
 * therefore earlier than the clock. A replay keeps its own `from`; only its cutoff is earlier.
 */
export interface SweepRequest {
  /** Windows that may hold a TTL in [windowsFrom, windowsBefore) are probed. */
  readonly windowsFrom: number;
  readonly windowsBefore: number;
  /** The first TTL to delete in such a window. */
  readonly from: number;
  readonly before: number;
  /** The sweep covers items that had expired by then. It is never later than the start of the execution. */
  readonly cutoff: number;
  /** Whether earlier windows are probed too when the oldest one has due items: yes for a tick; a replay names its own span. */
  readonly followsBacklog: boolean;
  /** The expiry times that this tick owns and waits for; null in the plain mode and for a replay. */
  readonly upcoming: { readonly from: number; readonly before: number } | null;
  readonly dryRun: boolean;
  /** Null: no limit. */
  readonly limit: SweepLimit | null;
}

/** How fast an execution may delete, and when. */
export interface SweepLimit {
  /** Deletes per second of all its children together. */
  readonly perSecond: number;
  /** Start of the deletes, epoch seconds; null: at once. */
  readonly from: number | null;
  /** End of the deletes, epoch seconds, after which the rest is left to a later sweep; null: no end. */
  readonly before: number | null;
}

/** Date, `T`, time with seconds, optional fraction, and a zone: a time without a zone is ambiguous. */
const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const TIME = kind<string>(isTime, 'a time in ISO-8601 with a zone, e.g. 2026-11-20T09:00:00Z');

const TABLE = text(/./s, 'the name of a table of the deployment');

const TABLES = kind<readonly string[]>(
  value => Array.isArray(value) && value.length > 0 && value.every(TABLE.is),
  'a list of names of tables of the deployment',
);

const KINDS = {
  table: TABLE,
  tables: TABLES,
  fromNow: boolean(),
  handOver: boolean(),
  scheduledTime: TIME,
  from: TIME,
  to: TIME,
  dryRun: boolean(),
  maxDeletesPerSecond: whole(0, MAX_DELETES_PER_SECOND, 'deletes per second (0 = no limit): a whole number'),
};

const REPLAY_ONLY = ['from', 'to', 'dryRun', 'table', 'handOver'] as const;
const TICK_ONLY = ['tables', 'fromNow'] as const;

type Fields = { readonly [Name in keyof typeof KINDS]?: ValueOf<(typeof KINDS)[Name]> };

/**
 * Seconds from a tick's time to its upcoming minute, and the length of that minute. Scheduler fires anywhere within a minute, so a tick
 * owns the minute after its own: its children run before that begins.
 */
const LEAD_SECONDS = 60;
const UPCOMING_SECONDS = 60;

/** The share of `maxDeletesPerSecond` that a hand-over may delete in addition to the ticks, which may use all of it. */
const PART_BESIDES = 0.1;

/** Deletes per second of a hand-over. Undefined: the table has no limit. */
export function besidesTheTicks(maxDeletesPerSecond: number): number | undefined {
  return maxDeletesPerSecond > 0 ? Math.max(1, Math.floor(maxDeletesPerSecond * PART_BESIDES)) : undefined;
}

/** Settings of the deployment that decide how an input is read. */
export interface TickSettings extends BehindSettings {
  /** How far a tick looks back. */
  readonly lookbackMinutes: number;
  /** Below 60, each tick owns an upcoming minute; 60 is the plain mode, which deletes at the tick. */
  readonly precisionSeconds: number;
  /** Deletes per second if the input names no limit; 0 = no limit. */
  readonly maxDeletesPerSecond: number;
}

/**
 * Checks the input of an execution. With a margin a tick owns the TTLs whose margin ends in its upcoming minute, and nothing counts as
 * expired before its margin is over.
 *
 * @param input input of the execution
 * @param startedAtMs start of the execution, epoch milliseconds: the cutoff is never later
 * @throws InvalidExecutionInputError naming the field
 */
export function readSweepInput(input: unknown, startedAtMs: number, settings: TickSettings): SweepRequest {
  const fields = readFields(input);
  return 'scheduledTime' in fields
    ? earlier(readTick(fields, startedAtMs, settings), settings)
    : readReplay(fields, startedAtMs, settings);
}

/**
 * Moves the times back by the delay. The input is read by the clock first: minutes begin on a whole minute of the clock, which the TTLs
 * that are due in them need not do.
 */
function earlier(request: Omit<SweepRequest, 'from'>, settings: BehindSettings): SweepRequest {
  const { upcoming, limit } = request;
  const seconds = secondsBehind(settings);
  const cutoff = request.cutoff - seconds;
  const before = (time: number | null) => (time === null ? null : time - seconds);
  return {
    ...request,
    windowsFrom: request.windowsFrom - seconds,
    windowsBefore: request.windowsBefore - seconds,
    // All expired items of such a window, including items stamped into the wrong one.
    from: sweptRange(cutoff, settings).after + 1,
    before: request.before - seconds,
    cutoff,
    upcoming: upcoming && { from: upcoming.from - seconds, before: upcoming.before - seconds },
    limit: limit && { ...limit, from: before(limit.from), before: before(limit.before) },
  };
}

/**
 * Refuses more windows than one execution can sweep for sure. A tick stays below that: its configuration is checked against the same
 * bound.
 * @throws InvalidExecutionInputError
 */
export function checkSpan(
  { windowsFrom, windowsBefore }: Pick<SweepRequest, 'windowsFrom' | 'windowsBefore'>,
  { windowSeconds, shards }: Pick<IndexLayout, 'windowSeconds' | 'shards'>,
): void {
  const windows = Math.ceil((windowsBefore - windowsFrom) / windowSeconds);
  if (windows * shards <= MAX_PAIRS) return;
  const hours = Math.floor((MAX_PAIRS / shards) * (windowSeconds / 3600));
  throw invalid(
    'to',
    `a span of at most ${MAX_PAIRS} windows and shards, here ${hours} hours: sweep a longer one in parts`,
    `${windows} windows of ${shards} shard(s)`,
  );
}

/**
 * Names of the tables that the input of an execution names; undefined if it names none.
 * @throws InvalidExecutionInputError naming the field
 */
export function tablesOfInput(input: unknown, all: readonly string[]): readonly string[] | undefined {
  const { table, tables = table === undefined ? undefined : [table] } = readFields(input);
  const other = tables?.find(name => !all.includes(name));
  if (other === undefined) return tables;
  throw invalid(table === undefined ? 'tables' : 'table', `of ${all.join(', ')}`, other);
}

/** Whether a tick has handed the execution over. */
export function isHandOver(input: unknown): boolean {
  return readFields(input).handOver === true;
}

/** The limit in the input itself, deletes per second; undefined: the input has none. */
export function limitOfInput(input: unknown): number | undefined {
  return readFields(input).maxDeletesPerSecond;
}

/** Reads the fields: each has a value of its kind, and no two fields exclude each other. */
function readFields(input: unknown): Fields {
  if (!isObject(input)) throw invalid('input', 'an object', input);
  const [unknown] = unknownFieldProblems(input, Object.keys(KINDS));
  if (unknown) throw new InvalidExecutionInputError({ ...unknown, remedy: `${unknown.remedy} ${REMEDY}` });
  const replay = REPLAY_ONLY.filter(field => field in input);
  if ('scheduledTime' in input && replay.length > 0) {
    throw invalid('scheduledTime', `either scheduledTime or from and to, not both`, input);
  }
  for (const field of TICK_ONLY) {
    if (field in input && !('scheduledTime' in input)) {
      throw invalid(field, `${field} together with scheduledTime only`, input);
    }
  }
  if (!['scheduledTime', 'from', 'to'].some(field => field in input)) {
    throw invalid('scheduledTime', 'either scheduledTime, or from and to', undefined);
  }
  // A field with the value undefined is as wrong as one with null.
  const required = 'scheduledTime' in input ? ['scheduledTime'] : ['from', 'to'];
  const given = [...new Set([...required, ...Object.keys(input)])];
  const [problem] = fieldProblems(KINDS, input, { required: given, remedy: REMEDY });
  if (problem) throw new InvalidExecutionInputError({ ...problem, remedy: REMEDY });
  return input;
}

function readTick(
  { scheduledTime = '', fromNow = false, ...given }: Fields,
  startedAtMs: number,
  settings: TickSettings,
): Omit<SweepRequest, 'from'> {
  const { maxDeletesPerSecond: perSecond = settings.maxDeletesPerSecond } = given;
  const scheduled = Date.parse(scheduledTime);
  const minute = upcomingMinute(scheduled, startedAtMs, settings);
  const upcoming = minute && fromNow ? { ...minute, from: toEpochSeconds(startedAtMs) } : minute;
  // With an upcoming minute, TTLs of this very second belong to the tick before.
  const cutoff = toEpochSeconds(Math.min(scheduled, startedAtMs)) - (upcoming ? 1 : 0);
  return {
    windowsFrom: cutoff - settings.lookbackMinutes * 60,
    windowsBefore: cutoff + 1,
    followsBacklog: true,
    before: cutoff + 1,
    cutoff,
    upcoming,
    dryRun: false,
    limit: limitOfTick(perSecond, scheduled, startedAtMs),
  };
}

/**
 * The limit of a tick. Ticks overlap, and would together exceed the limit. So a tick deletes only in one minute of the clock, the one that
 * it owns, and no other tick does. Later ticks find what it leaves.
 */
function limitOfTick(perSecond: number, scheduledMs: number, startedAtMs: number): SweepLimit | null {
  if (perSecond === 0) return null;
  // With a time in the future the children would wait longer than they can live.
  const isToCome = scheduledMs > startedAtMs + LEAD_SECONDS * 1000;
  const seconds = toEpochSeconds(isToCome ? startedAtMs : scheduledMs);
  const from = Math.floor(seconds / 60) * 60 + LEAD_SECONDS;
  return { perSecond, from, before: from + UPCOMING_SECONDS };
}

/** The upcoming minute; none for a tick whose time is in the future. */
function upcomingMinute(scheduledMs: number, startedAtMs: number, { precisionSeconds }: TickSettings) {
  if (precisionSeconds >= UPCOMING_SECONDS || scheduledMs > startedAtMs + LEAD_SECONDS * 1000) return null;
  const minute = Math.floor(toEpochSeconds(scheduledMs) / 60) * 60;
  return { from: minute + LEAD_SECONDS, before: minute + LEAD_SECONDS + UPCOMING_SECONDS };
}

function readReplay(
  { dryRun = false, handOver = false, ...given }: Fields,
  startedAtMs: number,
  settings: Pick<TickSettings, 'maxDeletesPerSecond' | keyof BehindSettings>,
): SweepRequest {
  const { from: fromText = '', to: toText = '' } = given;
  const { maxDeletesPerSecond: perSecond = settings.maxDeletesPerSecond } = given;
  const [fromMs, toMs] = [Date.parse(fromText), Date.parse(toText)];
  if (fromMs >= toMs) throw invalid('from', `a time before to (${toText})`, fromText);
  const cutoff = toEpochSeconds(startedAtMs) - secondsBehind(settings);
  const from = toEpochSeconds(fromMs);
  if (from <= expiredRange(toEpochSeconds(startedAtMs)).after) {
    throw invalid('from', 'a time less than five years back: older TTLs are ignored', fromText);
  }
  const before = Math.min(Math.ceil(toMs / 1000), cutoff + 1);
  return {
    windowsFrom: from,
    windowsBefore: before,
    followsBacklog: false,
    from: handOver ? sweptRange(cutoff, settings).after + 1 : from,
    before,
    cutoff,
    upcoming: null,
    dryRun,
    // A dry run deletes nothing, so it needs no limit.
    limit: perSecond === 0 || dryRun ? null : { perSecond, from: null, before: null },
  };
}

function isTime(value: unknown): boolean {
  const match = typeof value === 'string' ? ISO_TIME.exec(value) : null;
  return match !== null && !Number.isNaN(Date.parse(match[0])) && isCalendarDay(match);
}

/** Whether the day exists: Date.parse takes 30 February for 2 March. */
function isCalendarDay([, year, month, day]: RegExpExecArray): boolean {
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
}

const REMEDY =
  'Start the execution with {"scheduledTime": "<time>"} or {"from": "<time>", "to": "<time>"}. Nothing was swept.';

function invalid(field: string, expected: string, got: unknown): InvalidExecutionInputError {
  return new InvalidExecutionInputError({ field, expected, got, remedy: REMEDY });
}
