import { windowStart } from '../../expiry/window.ts';
import type {
  LaterPart,
  PlanSweepInput,
  PlanSweepOutput,
  Span,
  TickPart,
} from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import {
  BACK_SECONDS,
  MAX_AFTER_SECONDS,
  TICK_CHILDREN,
  TICK_TARGETS,
} from '../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { SHARDS_OF_CHILD } from '../child/parts.ts';
import { secondsBehind } from '../child/swept-range.ts';
import {
  type DeploymentState,
  INDEX_SECONDS,
  isPaused,
  liveHandOver,
  type Watermark,
} from '../journal/layout.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError, InvalidExecutionInputError } from '../runtime/errors.ts';
import { indexLayout, reachSeconds } from '../table/index-layout.ts';
import { dealOut, type TickTable } from './deal-out.ts';
import { dealt, joined } from './limited-targets.ts';
import type { PlannedRound } from './next-round.ts';
import { plan } from './plan.ts';
import { type AskedTable, askTable, RESERVED_MS } from './plan-round.ts';
import { sideBySide } from './side-by-side.ts';
import { type PlannedStart, startChildren } from './start-children.ts';
import { besidesTheTicks, readSweepInput, type SweepRequest, tablesOfInput } from './sweep-input.ts';
import type { TickSurroundings } from './tick-surroundings.ts';
import { oldestWatermark } from './watermark-age.ts';

/** Tables that are probed at once, so that one that hangs does not delay the others. */
const TABLES_AT_ONCE = 32;

/** Timeout of each of the three attempts of a query, in milliseconds. A table that does not answer any of them counts as busy. */
const REQUEST_TIMEOUT_MS = 600;

/**
 * Milliseconds for the probes of a table with a long lookback, after which it counts as busy. By second there are more than a hundred
 * probes, and a hundred tables share one processor.
 */
const TABLE_MS = { windows: 5_000, seconds: 45_000 } as const;

/**
 * Age in seconds up to which the last write of the watermarks is recent enough for a tick to skip its own. It is more than one minute and
 * less than two, so usually every other tick skips.
 */
const QUIET_SECONDS = 90;

/** Longest span without a sweep that ticks hand over, in seconds; a longer one is left to a replay by hand, and to native TTL. */
const MAX_UNSEEN_SECONDS = 86_400;

/** Most windows with due items that a tick's lookback takes, for all tables together; further ones are handed over. */
const MAX_BACK = 1_200;

/**
 * Seconds between the start of a part (a further execution) and the start of its first child: enough for four attempts and the start of an
 * execution.
 */
const PART_LEAD_SECONDS = 15;

/**
 * Minimum milliseconds for the probes of a table. After that the probes end when the upcoming minute begins, because other tables wait for
 * them.
 */
const MIN_TABLE_MS = 700;

/** If another tick began less than this many seconds before, it still sweeps its older windows, and this tick leaves these to it. */
const OTHER_TICK_SECONDS = BACK_SECONDS + 5;

/** The result of a table's probes. */
interface ProbedTable extends Pick<TickTable, 'carried' | 'plan'> {
  readonly targets: readonly SweepTarget[];
  /** Makes the children that sweep these targets. */
  readonly start: (targets: readonly SweepTarget[]) => readonly PlannedStart[];
  /** New values of the watermark; undefined: it does not move. */
  readonly gone: Pick<Watermark, 'since' | 'gone'> | undefined;
}

/**
 * Plans a tick: probes all tables that are not paused, and distributes their targets among this execution and further ones.
 *
 * 1. The settings of the operators are read first. When they cannot be read, nothing is deleted: a table may be paused.
 * 2. Tables are probed concurrently. If a table cannot be probed, its failure is in the plan. A busy table gets its children nevertheless:
 *    they query again.
 * 3. A child of the upcoming minute takes several shards of its table, or one if the table has a limit, which is divided among its shards.
 *    If all targets together are more than a tick has room for, the children of the tables with the most targets take more shards, and
 *    more windows.
 * 4. A further execution that only waits for the upcoming minute is started shortly before it, because its waiting time costs money. The
 *    tick's own execution waits anyway.
 * 5. The watermarks are written into the journal, every other minute while nothing is due. If one does not move for hours, a metric shows
 *    it.
 *
 * @throws InvalidExecutionInputError, JournalUnreadableError
 */
export async function planTick(
  { tables, executionInput, startedAt }: PlanSweepInput,
  surroundings: TickSurroundings,
): Promise<PlanSweepOutput> {
  const { journal, logger } = surroundings;
  const names = tables.map(({ tableName }) => tableName);
  const chosen = tablesOfInput(executionInput, names);
  const wanted = new Set(chosen ?? names);
  const isWhole = chosen === undefined;
  const startedAtMs = Date.parse(startedAt);
  const state = await journal.read();
  const swept = tables.filter(
    ({ tableName }) => wanted.has(tableName) && !isPaused(state, tableName, startedAtMs),
  );
  const share = Math.max(4, Math.floor(MAX_BACK / Math.max(1, swept.length)));
  const probed = await sideBySide(swept, TABLES_AT_ONCE, carried =>
    probeTable(carried, {
      executionInput,
      isWhole,
      startedAtMs,
      state,
      share,
      ...surroundings,
    }),
  );
  const watermarks = probed.flatMap(({ carried, gone }) =>
    gone === undefined ? [] : [[carried.tableName, { ...gone, at: startedAt }] as const],
  );
  const tick = isWhole ? startedAt : (state.watermarks.tick ?? startedAt);
  try {
    if (!isWhole || !isQuiet(probed, state, startedAtMs))
      await journal.writeWatermarks(tick, Object.fromEntries(watermarks));
  } catch (error) {
    // The pauses are known, so the sweep continues. The journal's metric shows the failure, and RecordMetrics fails.
    logger.error('cannot write the watermarks', { error: String(error).slice(0, 500) });
  }
  if (isWhole) {
    const moved = new Map(watermarks.map(([table, { gone }]) => [table, gone]));
    const oldest = oldestWatermark(tables, state, moved, startedAtMs);
    if (oldest !== undefined) surroundings.record('WatermarkAge', oldest.age, { TableName: oldest.table });
  }
  const wanting = probed.map(({ targets, plan: { limited } }) => childTargets(targets, limited === true));
  const most = allotted(wanting.map(({ length }) => length));
  const planned = probed.map(({ carried, plan: tickPlan, start }, index): TickTable => {
    const children = start(fewTargets(wanting[index] ?? [], most[index] ?? 0));
    return { carried, plan: tickPlan, due: children.map(child => ({ table: carried.tableName, ...child })) };
  });
  const [own = { due: [], sweeps: {} }, ...parts] = dealOut(planned, Math.floor(startedAtMs / 60_000));
  tell(logger, swept.length, [own, ...parts]);
  const isIdle = parts.length === 0 && Object.keys(own.sweeps).length === 0;
  return {
    next: isIdle ? 'end' : own.due.length + parts.length > 0 ? 'sweep' : 'record',
    due: own.due,
    parts: later(own, parts, surroundings.clock()),
    last: true,
    results: [],
    sweeps: own.sweeps,
    report: null,
  };
}

/**
 * Whether this tick can skip writing the watermarks: all tables are by window, none has due items, and the last write is recent. A write
 * per minute is more than half of DynamoDB's price for idle tables. By second a tick looks back to its watermark, and pays for each second.
 */
function isQuiet(
  probed: readonly ProbedTable[],
  { watermarks }: DeploymentState,
  startedAtMs: number,
): boolean {
  const isWritten = startedAtMs - Date.parse(watermarks.tick ?? '') < QUIET_SECONDS * 1000;
  return (
    isWritten &&
    probed.every(
      ({ carried, targets, gone }) =>
        targets.length === 0 &&
        gone !== undefined &&
        carried['indexedBy'] === 'window' &&
        watermarks.tables[carried.tableName] !== undefined,
    )
  );
}

/** When each part is started. If the tick's own targets begin at once, which is after all parts are started, no part waits. */
function later(own: TickPart, parts: readonly TickPart[], nowMs: number): LaterPart[] {
  const isAwaiting = beginsMs(own) > nowMs;
  return parts.map(part => {
    const seconds = Math.floor((beginsMs(part) - nowMs) / 1000) - PART_LEAD_SECONDS;
    return { ...part, afterSeconds: isAwaiting ? Math.max(0, Math.min(seconds, MAX_AFTER_SECONDS)) : 0 };
  });
}

/** When the first child of a part begins, epoch milliseconds. */
function beginsMs({ due }: TickPart): number {
  return Math.min(...due.map(({ until }) => (until === null ? 0 : Date.parse(until))));
}

function tell(logger: TickSurroundings['logger'], tables: number, parts: readonly TickPart[]): void {
  const failed = parts.flatMap(({ sweeps }) =>
    Object.entries(sweeps).flatMap(([table, { planned }]) =>
      planned?.failure === undefined ? [] : [{ table, ...planned.failure }],
    ),
  );
  const targets = parts.map(({ due }) => due.length);
  if (targets.some(count => count > 0) || failed.length > 0)
    logger.info('planned', { tables, targets, failed });
}

interface TableOptions extends TickSurroundings {
  readonly executionInput: unknown;
  /** Whether the tick sweeps all tables, at its own minute. */
  readonly isWhole: boolean;
  readonly startedAtMs: number;
  readonly state: DeploymentState;
  /** Most windows of the lookback that this table may have. */
  readonly share: number;
}

async function probeTable(carried: CarriedSettings, options: TableOptions): Promise<ProbedTable> {
  const { tableName } = carried;
  const { state, executionInput, startedAtMs, tableOf } = options;
  try {
    const settings = readSettings(carried);
    const asked = readSweepInput(executionInput, startedAtMs, settings);
    const left = leftTo(asked, state, settings, startedAtMs);
    const known = left === undefined ? state.watermarks.tables[tableName] : undefined;
    const request = left === undefined ? backToWatermark(asked, known, settings) : behind(asked, left.before);
    const { isAsked, ...round } = await ask(
      request,
      tableOf(settings, { requestTimeout: REQUEST_TIMEOUT_MS }),
      options,
    );
    const { oldestOverdueSeconds, cursor } = round;
    const unseen = isAsked ? unseenSpan(request, known, settings) : undefined;
    // A table with a limit hands over only its unseen span: its ticks already delete as much as the limit allows.
    const leftOver =
      cursor === null || request.limit !== null
        ? unseen
        : { from: Math.min(request.windowsFrom, unseen?.from ?? request.windowsFrom), to: request.before };
    return {
      carried,
      targets: round.due,
      start: targets =>
        startChildren(targets, {
          dryRun: false,
          limit: request.limit,
          concurrency: 0,
          behindSeconds: secondsBehind(settings),
          collected: TICK_TARGETS,
          handsOnAfter: BACK_SECONDS,
        }),
      plan: {
        oldestOverdueSeconds,
        ...(leftOver && { leftOver }),
        ...(request.limit !== null && { limited: true }),
      },
      gone: left === undefined ? goneBy(request, round, known, settings) : undefined,
    };
  } catch (error) {
    if (error instanceof InvalidExecutionInputError) throw error;
    return failedTable(carried, error);
  }
}

function failedTable(carried: CarriedSettings, error: unknown): ProbedTable {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const failure = { error: name.slice(0, 100), message: message.slice(0, 200) };
  const failed = { oldestOverdueSeconds: 0, failure };
  return { carried, targets: [], start: () => [], plan: failed, gone: undefined };
}

/**
 * The time before which another execution sweeps: one to which the table was handed over, or an earlier tick that still runs.
 *
 * The start of the earlier tick is not known: it may have been up to a minute late.
 */
function leftTo(
  request: SweepRequest,
  state: DeploymentState,
  settings: SweepSettings,
  startedAtMs: number,
): { readonly before: number } | undefined {
  const handedOver = liveHandOver(state, settings.tableName, startedAtMs);
  if (handedOver !== undefined) return handedOver;
  const otherMs = Date.parse(state.watermarks.tick ?? '');
  // An earlier tick with the same time is this one, whose plan is retried.
  const isAtIt = otherMs !== startedAtMs && Math.abs(startedAtMs - otherMs) < OTHER_TICK_SECONDS * 1000;
  if (!isAtIt || !request.followsBacklog) return undefined;
  return { before: Math.floor(otherMs / 60_000) * 60 - 60 - secondsBehind(settings) };
}

/** Limits the request to TTLs from `before` on: another execution sweeps the earlier ones. */
function behind(request: SweepRequest, before: number): SweepRequest {
  return {
    ...request,
    windowsFrom: Math.max(request.windowsFrom, before),
    from: Math.max(request.from, before),
    followsBacklog: false,
  };
}

/**
 * Probes a table. A busy table, and one that has not answered in time, counts as having due items in each of its shards, now and in the
 * upcoming minute. Its lookback is left to later ticks.
 */
async function ask(
  request: SweepRequest,
  table: AskedTable,
  { startedAtMs, clock, sleep, share }: TableOptions,
): Promise<PlannedRound & { readonly isAsked: boolean }> {
  // The times of a request are earlier than the clock by the table's margin.
  const beginsMs = request.upcoming && (request.upcoming.from + secondsBehind(table.settings)) * 1000;
  const layout = indexLayout(table.settings.model);
  const mostMs = layout.keysPerShard > 1 ? TABLE_MS.seconds : TABLE_MS.windows;
  const untilMinuteMs = beginsMs === null ? mostMs : beginsMs - clock();
  const patienceMs = Math.min(mostMs, Math.max(MIN_TABLE_MS, untilMinuteMs));
  // All shards of the upcoming minute, or of one lookback window, are no backlog.
  const mostDue = 2 * layout.shards + share;
  const endsAt = clock() + patienceMs;
  const remainingMs = () => endsAt - clock() + RESERVED_MS;
  const tooSlow = sleep(patienceMs).then((): never => {
    throw new DynamoDbBusyError(`no answer to the probes of ${patienceMs} ms`);
  });
  try {
    const round = await Promise.race([
      askTable(request, null, mostDue, { ...table, startedAtMs, remainingMs }),
      tooSlow,
    ]);
    return { ...round, isAsked: true };
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    const unasked = await plan({ ...request, windowsFrom: request.cutoff, followsBacklog: false }, null, {
      layout,
      probe: async ({ from }) => from,
      concurrency: TICK_TARGETS,
      maxDue: mostDue,
      watchAlways: true,
      outOfTime: () => false,
    });
    return { ...unasked, isAsked: false, cursor: null, oldestOverdue: undefined, oldestOverdueSeconds: 0 };
  } finally {
    tooSlow.catch(() => undefined);
  }
}

/**
 * Number of children of each table: in turn, each table that needs more gets one more while the tick has room. Each has at least two, for
 * the upcoming minute and for the lookback.
 */
function allotted(wanted: readonly number[]): number[] {
  const given = wanted.map(count => Math.min(count, 2));
  let room = TICK_CHILDREN - given.reduce((sum, count) => sum + count, 0);
  for (let most = 3; room > 0 && wanted.some(count => count >= most); most += 1) {
    for (const [table, count] of wanted.entries()) {
      if (count < most || room === 0) continue;
      given[table] = most;
      room -= 1;
    }
  }
  return given;
}

/** The targets of a table's children. Each child of the upcoming minute costs money for the whole minute, whatever it deletes. */
function childTargets(targets: readonly SweepTarget[], isLimited: boolean): SweepTarget[] {
  const { upcoming, back } = byTime(targets);
  const children = Math.ceil(upcoming.length / (isLimited ? 1 : SHARDS_OF_CHILD));
  return [...inGroups(upcoming, children), ...back];
}

/** Joins targets until at most this number is left: a child takes more shards, or several windows. */
function fewTargets(targets: readonly SweepTarget[], most: number): SweepTarget[] {
  const { upcoming, back } = byTime(targets);
  const half = upcoming.length === 0 ? most : Math.max(1, Math.floor(most / 2));
  const backGroups = Math.min(back.length, Math.max(half, most - upcoming.length));
  return [...inGroups(upcoming, Math.max(1, most - backGroups)), ...inGroups(back, backGroups)];
}

function byTime(targets: readonly SweepTarget[]): Readonly<Record<'upcoming' | 'back', SweepTarget[]>> {
  return {
    upcoming: targets.filter(({ upcomingFrom }) => upcomingFrom !== null),
    back: targets.filter(({ upcomingFrom }) => upcomingFrom === null),
  };
}

function inGroups(targets: readonly SweepTarget[], most: number): SweepTarget[] {
  return dealt(targets, Math.min(most, targets.length)).map(joined);
}

/** Extends a lookback that begins after the watermark to the watermark, if that is near. */
function backToWatermark(
  request: SweepRequest,
  known: Watermark | undefined,
  { model }: SweepSettings,
): SweepRequest {
  if (known === undefined || !request.followsBacklog) return request;
  const from = known.gone - INDEX_SECONDS + 1;
  const isNear = request.cutoff - from <= reachSeconds(indexLayout(model));
  return isNear ? { ...request, windowsFrom: Math.min(request.windowsFrom, from) } : request;
}

/**
 * The expiry times since the watermark, if the lookback of the tick does not go back to the watermark, because no tick ran for a long time.
 * If the table has a limit, the ticks may use all of it, so these items get a tenth of the limit in addition. If the watermark is more
 * than a day old, the result is undefined: a person replays such a span (`resume`).
 */
function unseenSpan(
  { cutoff, windowsFrom, before, followsBacklog }: SweepRequest,
  known: Watermark | undefined,
  { model, maxDeletesPerSecond }: SweepSettings,
): Span | undefined {
  const isSeen = known === undefined || reaches(seenFrom(windowsFrom, model), known);
  if (isSeen || !followsBacklog) return undefined;
  const from = known.gone - INDEX_SECONDS + 1;
  if (cutoff - from > MAX_UNSEEN_SECONDS) return undefined;
  const limit = besidesTheTicks(maxDeletesPerSecond);
  return { from, to: before, ...(limit !== undefined && { maxDeletesPerSecond: limit }) };
}

/** First TTL that a tick covers. By window it covers the whole first window. */
function seenFrom(windowsFrom: number, { indexedBy, granularitySeconds }: SweepSettings['model']): number {
  return indexedBy === 'window' ? windowStart(windowsFrom, granularitySeconds) : windowsFrom;
}

/** Whether the lookback reaches back to the watermark. */
function reaches(windowsFrom: number, { gone }: Watermark): boolean {
  return gone - INDEX_SECONDS >= windowsFrom - 1;
}

/**
 * The new watermark, epoch seconds; undefined when it is not known: no tick has covered the time between the last watermark and the
 * windows of this tick, or the table was too busy.
 */
function goneBy(
  { cutoff, windowsFrom }: SweepRequest,
  { due, cursor, oldestOverdue }: PlannedRound,
  before: Watermark | undefined,
  { model }: SweepSettings,
): Pick<Watermark, 'since' | 'gone'> | undefined {
  if (cursor !== null || (before !== undefined && !reaches(seenFrom(windowsFrom, model), before)))
    return undefined;
  const since = before?.since ?? windowsFrom;
  if (oldestOverdue !== undefined) return { since, gone: Math.min(Math.ceil(oldestOverdue) - 1, cutoff) };
  return due.some(({ upcomingFrom }) => upcomingFrom === null) ? undefined : { since, gone: cutoff };
}
