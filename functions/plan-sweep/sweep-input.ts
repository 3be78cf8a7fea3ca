import {
  boolean,
  fieldProblems,
  isObject,
  kind,
  text,
  unknownFieldProblems,
  type ValueOf,
  whole,
} from '../../expiry/fields.ts';
import { expiredRange, toEpochSeconds } from '../../expiry/ttl.ts';
import { MAX_DELETES_PER_SECOND } from '../../statemachine/contract/limits.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';

/** All times are TTLs, not times of deletes: an item is deleted `marginSeconds` after its TTL at the earliest. */
export interface TickRequest {
  /** The latest TTL of the lookback, the tick's span of expired TTLs. Epoch seconds. */
  readonly cutoff: number;
  /** The TTLs of the upcoming minute. Null if `precision` is 'minute', or if `scheduledTime` is more than a minute in the future. */
  readonly upcoming: { readonly from: number; readonly before: number } | null;
  readonly limit: SweepLimit | null;
}

/** A replay sweeps the items with `from` <= TTL < `before`, epoch seconds. */
export interface ReplayRequest {
  readonly from: number;
  readonly before: number;
  readonly dryRun: boolean;
  readonly perSecond: number;
}

export interface SweepLimit {
  readonly perSecond: number;
  /** Epoch seconds. Deletes begin at `from` + `marginSeconds` and end at `before` + `marginSeconds`; a later tick does the rest. */
  readonly from: number;
  readonly before: number;
}

/** ISO-8601 with a zone, because a time without a zone is ambiguous. */
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
  scheduledTime: TIME,
  from: TIME,
  to: TIME,
  dryRun: boolean(),
  maxDeletesPerSecond: whole(0, MAX_DELETES_PER_SECOND, 'deletes per second (0 = no limit): a whole number'),
};

const REPLAY_ONLY = ['from', 'to', 'dryRun', 'table'] as const;

type Fields = { readonly [Name in keyof typeof KINDS]?: ValueOf<(typeof KINDS)[Name]> };

/** Seconds from the start of `scheduledTime`'s minute to the upcoming minute: EventBridge Scheduler starts ticks up to a minute late. */
const LEAD_SECONDS = 60;
const UPCOMING_SECONDS = 60;

export type InputSettings = Pick<SweepSettings, 'precision' | 'maxDeletesPerSecond' | 'marginSeconds'>;

export function tablesOfInput(input: unknown, all: readonly string[]): readonly string[] | undefined {
  const { table, tables = table === undefined ? undefined : [table] } = readFields(input);
  const other = tables?.find(name => !all.includes(name));
  if (other === undefined) return tables;
  throw invalid(table === undefined ? 'tables' : 'table', `of ${all.join(', ')}`, other);
}

function readFields(input: unknown): Fields {
  if (!isObject(input)) throw invalid('input', 'an object', input);
  const [unknown] = unknownFieldProblems(input, Object.keys(KINDS));
  if (unknown) throw new InvalidExecutionInputError({ ...unknown, remedy: `${unknown.remedy} ${REMEDY}` });
  const replay = REPLAY_ONLY.filter(field => field in input);
  if ('scheduledTime' in input && replay.length > 0) {
    throw invalid('scheduledTime', `either scheduledTime or from and to, not both`, input);
  }
  if ('tables' in input && !('scheduledTime' in input)) {
    throw invalid('tables', 'tables together with scheduledTime only', input);
  }
  if (!['scheduledTime', 'from', 'to'].some(field => field in input)) {
    throw invalid('scheduledTime', 'either scheduledTime, or from and to', undefined);
  }
  // Every field that is present is also required, so that a field with the value `undefined` is an error, like a field with `null`.
  const required = 'scheduledTime' in input ? ['scheduledTime'] : ['from', 'to'];
  const given = [...new Set([...required, ...Object.keys(input)])];
  const [problem] = fieldProblems(KINDS, input, { required: given, remedy: REMEDY });
  if (problem) throw new InvalidExecutionInputError({ ...problem, remedy: REMEDY });
  return input;
}

/**
 * Reads what a tick must sweep. The upcoming minute is the minute after `scheduledTime`'s minute; its TTLs are `marginSeconds` earlier.
 * @param startedAtMs start of the execution, epoch milliseconds
 * @throws InvalidExecutionInputError
 */
export function readTickInput(input: unknown, startedAtMs: number, settings: InputSettings): TickRequest {
  const { scheduledTime, maxDeletesPerSecond: perSecond = settings.maxDeletesPerSecond } = readFields(input);
  if (scheduledTime === undefined) throw invalid('scheduledTime', 'the time of a tick', undefined);
  const { marginSeconds } = settings;
  const scheduledMs = Date.parse(scheduledTime);
  // A tick that starts over a minute too early has no upcoming minute: children might wait for longer than an Express execution may last.
  const isToCome = scheduledMs > startedAtMs + LEAD_SECONDS * 1000;
  const minute = minuteOf(scheduledMs);
  const upcoming = settings.precision === 'minute' || isToCome ? null : minute;
  const begins = minuteOf(isToCome ? startedAtMs : scheduledMs);
  return {
    // The previous tick's upcoming minute begins at `scheduledTime`, so the lookback of this tick ends one second earlier.
    cutoff: toEpochSeconds(Math.min(scheduledMs, startedAtMs)) - (upcoming ? 1 : 0) - marginSeconds,
    upcoming: upcoming && { from: upcoming.from - marginSeconds, before: upcoming.before - marginSeconds },
    // Two ticks may run at once. With a limit each deletes in another minute, so that they do not exceed the limit together.
    limit:
      perSecond === 0
        ? null
        : { perSecond, from: begins.from - marginSeconds, before: begins.before - marginSeconds },
  };

  function minuteOf(ms: number) {
    const from = Math.floor(toEpochSeconds(ms) / 60) * 60 + LEAD_SECONDS;
    return { from, before: from + UPCOMING_SECONDS };
  }
}

/**
 * Reads what a replay must sweep, up to the execution's start minus `marginSeconds`. @param startedAtMs this start, epoch milliseconds
 * @throws InvalidExecutionInputError naming the field
 */
export function readReplayInput(input: unknown, startedAtMs: number, settings: InputSettings): ReplayRequest {
  const { from: fromText = '', to: toText = '', dryRun = false, ...given } = readFields(input);
  const { maxDeletesPerSecond: perSecond = settings.maxDeletesPerSecond } = given;
  if (given.scheduledTime !== undefined)
    throw invalid('from', 'the span of a replay: from and to', undefined);
  const [fromMs, toMs] = [Date.parse(fromText), Date.parse(toText)];
  if (fromMs >= toMs) throw invalid('from', `a time before to (${toText})`, fromText);
  const now = toEpochSeconds(startedAtMs);
  const from = toEpochSeconds(fromMs);
  if (from <= expiredRange(now).after) {
    throw invalid('from', 'a time less than five years back: older TTLs are ignored', fromText);
  }
  const before = Math.min(Math.ceil(toMs / 1000), now - settings.marginSeconds + 1);
  return { from, before, dryRun, perSecond: dryRun ? 0 : perSecond };
}

function isTime(value: unknown): boolean {
  const match = typeof value === 'string' ? ISO_TIME.exec(value) : null;
  return match !== null && !Number.isNaN(Date.parse(match[0])) && isCalendarDay(match);
}

/** Whether the month has this day: `Date.parse` accepts 30 February as a day in March. */
function isCalendarDay([, year, month, day]: RegExpExecArray): boolean {
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
}

const REMEDY =
  'Start the execution with {"scheduledTime": "<time>"} or {"from": "<time>", "to": "<time>"}. Nothing was swept.';

function invalid(field: string, expected: string, got: unknown): InvalidExecutionInputError {
  return new InvalidExecutionInputError({ field, expected, got, remedy: REMEDY });
}
