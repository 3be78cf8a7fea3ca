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
import { isScanDue } from '../journal/scan-turn.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError, InvalidExecutionInputError } from '../runtime/errors.ts';
import { indexLayout, reachSeconds } from '../table/index-layout.ts';
import { MAYBE } from '../table/index-query.ts';
import { dealOut, type TickTable } from './deal-out.ts';
import { dealt, joined } from './limited-targets.ts';
import type { PlannedRound } from './next-round.ts';
import { plan } from './plan.ts';
import { type AskedTable, askTable, RESERVED_MS } from './plan-round.ts';
import { sideBySide } from './side-by-side.ts';
import { type PlannedStart, startChildren } from './start-children.ts';
import { besidesTheTicks, readSweepInput, type SweepRequest, tablesOfInput } from './sweep-input.ts';
import { takeAccounts } from './take-accounts.ts';
import type { TickSurroundings } from './tick-surroundings.ts';
import { oldestWatermark } from './watermark-age.ts';

/** Tables that are asked at once: a hanging one keeps nobody else waiting. */
const TABLES_AT_ONCE = 32;

/** A table that has not answered by then is taken for busy, milliseconds: three attempts. */
const REQUEST_TIMEOUT_MS = 600;

/**
 * A table that looks back far has so long for its probes, milliseconds; then it is taken for busy. By second each has a hundred and more,
 * which a hundred tables share a processor for.
 */
const TABLE_MS = { windows: 5_000, seconds: 45_000 } as const;

/** Longer than a minute, and less than two ticks that come when they can. */
const QUIET_SECONDS = 90;

/** A span that nobody has looked at for longer than this is left to the daily scan of the index, seconds. */
const MAX_UNSEEN_SECONDS = 86_400;

/** Windows that a tick looks back to and that hold something, of all tables together; what is more is handed over. */
const MAX_BACK = 1_200;

/** So long before its first child begins a part is started, seconds: four attempts, and what an execution takes to begin. */
const PART_LEAD_SECONDS = 15;

/** A table whose minute begins soon has not even that, but at least so long, milliseconds: others wait for it. */
const MIN_TABLE_MS = 700;

/** Seconds before a tick in which another one has left nothing that lies back to it: until then that one sweeps it. */
const OTHER_TICK_SECONDS = BACK_SECONDS + 5;

/** The result of a table's probes. */
interface ProbedTable extends Pick<TickTable, 'carried' | 'plan'> {
  readonly targets: readonly SweepTarget[];
  /** The children that sweep these targets. */
  readonly start: (targets: readonly SweepTarget[]) => readonly PlannedStart[];
  /** Undefined: no more is known than before. */
  readonly gone: Pick<Watermark, 'since' | 'gone'> | undefined;
}

/**
 * Plans a tick: asks all tables that are not paused what is due, and deals their targets out to this execution and further ones.
 *
 * 1. What the operators have set is read first. When it cannot be read, nothing is deleted: a table may be paused.
 * 2. Tables are asked side by side. One that cannot be asked has its failure in the plan. One that is busy gets its children all the same:
 *    they ask again.
 * 3. A child of the upcoming minute takes several shards of its table, or one where the table has a limit, of which each shard has its
 *    part. Where all targets together are more than a tick has room for, the children of the tables with the most take more shards, and
 *    more windows.
 * 4. A further execution that only waits for the upcoming minute is started shortly before it, since its waiting would be paid for. The
 *    tick's own execution waits anyway.
 * 5. Up to where everything is gone goes into the journal, every other minute while nothing is due. Where that does not get any further,
 *    for hours, a metric says so.
 * 6. Meanwhile one minute of each table's ledger is compared.
 * 7. Once a day, when it is a table's turn, the replay machine scans its whole index. RecordMetrics hands that over.
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
  const accounts = isWhole ? takeAccounts(tables, executionInput, surroundings) : undefined;
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
    // The pauses are known, so the sweep goes on. The journal's metric shows the failure, and RecordMetrics fails.
    logger.error('cannot write the watermarks', { error: String(error).slice(0, 500) });
  }
  if (isWhole) {
    const moved = new Map(watermarks.map(([table, { gone }]) => [table, gone]));
    const oldest = oldestWatermark(tables, state, moved, startedAtMs);
    if (oldest !== undefined) surroundings.record('WatermarkAge', oldest.age, { TableName: oldest.table });
    await accounts;
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
 * Nothing is due in windows of any table, and the last tick has written that: a write a minute is more than half of what DynamoDB takes for
 * idle tables. By second a tick reaches back to its watermark, and pays for each second.
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

/** When each part is started. Where the tick's own targets begin at once, which they do after all parts are started, none waits. */
function later(own: TickPart, parts: readonly TickPart[], nowMs: number): LaterPart[] {
  const isAwaiting = beginsMs(own) > nowMs;
  return parts.map(part => {
    const seconds = Math.floor((beginsMs(part) - nowMs) / 1000) - PART_LEAD_SECONDS;
    return { ...part, afterSeconds: isAwaiting ? Math.max(0, Math.min(seconds, MAX_AFTER_SECONDS)) : 0 };
  });
}

/** When the first of its children begins, epoch milliseconds. */
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
  /** It sweeps all tables, at its minute. */
  readonly isWhole: boolean;
  readonly startedAtMs: number;
  readonly state: DeploymentState;
  /** Windows that it looks back to at the most. */
  readonly share: number;
}

async function probeTable(carried: CarriedSettings, options: TableOptions): Promise<ProbedTable> {
  const { tableName } = carried;
  const { state, executionInput, startedAtMs, tableOf } = options;
  try {
    const settings = readSettings(carried);
    const limit = state.control.limits[tableName] ?? settings.maxDeletesPerSecond;
    const limited = { ...settings, maxDeletesPerSecond: limit };
    const asked = readSweepInput(executionInput, startedAtMs, limited);
    const left = leftTo(asked, state, settings, startedAtMs);
    const known = left === undefined ? state.watermarks.tables[tableName] : undefined;
    const request = left === undefined ? backToWatermark(asked, known, settings) : behind(asked, left.before);
    const { isAsked, ...round } = await ask(
      request,
      tableOf(limited, { requestTimeout: REQUEST_TIMEOUT_MS }),
      options,
    );
    const { oldestOverdueSeconds, cursor } = round;
    const unseen = isAsked ? unseenSpan(request, known, limited) : undefined;
    // With a limit the tick deletes as much as it may anyway.
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
        ...(isAsked && isTimeToScan(settings, options) && { scanDue: true }),
      },
      gone: left === undefined ? goneBy(request, round, known, settings) : undefined,
    };
  } catch (error) {
    if (error instanceof InvalidExecutionInputError) throw error;
    return failedTable(carried, error);
  }
}

/** A tick of chosen tables starts none. */
function isTimeToScan(
  { tableName, indexScan }: SweepSettings,
  { isWhole, state, startedAtMs }: TableOptions,
): boolean {
  const now = Math.floor(startedAtMs / 1000);
  return isWhole && indexScan === 'daily' && isScanDue(tableName, state.scansAt[tableName], now);
}

function failedTable(carried: CarriedSettings, error: unknown): ProbedTable {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const failure = { error: name.slice(0, 100), message: message.slice(0, 200) };
  const failed = { oldestOverdueSeconds: 0, failure };
  return { carried, targets: [], start: () => [], plan: failed, gone: undefined };
}

/**
 * Who else sweeps what expired before a time: an execution that the table was handed over to, or another tick that is at it still.
 *
 * The other tick's own time is not known: it may have been up to a minute late.
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
  // The one with its own time is this one, whose plan is tried again.
  const isAtIt = otherMs !== startedAtMs && Math.abs(startedAtMs - otherMs) < OTHER_TICK_SECONDS * 1000;
  if (!isAtIt || !request.followsBacklog) return undefined;
  return { before: Math.floor(otherMs / 60_000) * 60 - 60 - secondsBehind(settings) };
}

/** Only what expires from then on: what expired before is swept by another execution. */
function behind(request: SweepRequest, before: number): SweepRequest {
  return {
    ...request,
    windowsFrom: Math.max(request.windowsFrom, before),
    from: Math.max(request.from, before),
    followsBacklog: false,
  };
}

/**
 * A busy table, and one that has not answered in time, is taken to have something due in each of its shards, now and in the upcoming
 * minute. What lies back is for the ticks after it to find.
 */
async function ask(
  request: SweepRequest,
  table: AskedTable,
  { startedAtMs, clock, sleep, share }: TableOptions,
): Promise<PlannedRound & { readonly isAsked: boolean }> {
  // A request's times are so much earlier than those of the clock.
  const beginsMs = request.upcoming && (request.upcoming.from + secondsBehind(table.settings)) * 1000;
  const layout = indexLayout(table.settings.model);
  const mostMs = layout.keysPerShard > 1 ? TABLE_MS.seconds : TABLE_MS.windows;
  const untilMinuteMs = beginsMs === null ? mostMs : beginsMs - clock();
  const patienceMs = Math.min(mostMs, Math.max(MIN_TABLE_MS, untilMinuteMs));
  // All shards of the upcoming minute, and of a window that lies back, are no backlog.
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
      probe: async () => MAYBE,
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
 * How many children each table has: in turn one more for each that wants more, as long as a tick has room. Each has two at the least, for
 * the upcoming minute and for what lies back.
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

/** Those of the children that a table should have. Each of the upcoming minute is paid for as long as that is on, whatever it deletes. */
function childTargets(targets: readonly SweepTarget[], isLimited: boolean): SweepTarget[] {
  const { upcoming, back } = byTime(targets);
  const children = Math.ceil(upcoming.length / (isLimited ? 1 : SHARDS_OF_CHILD));
  return [...inGroups(upcoming, children), ...back];
}

/** At most so many: a child takes more shards, or several windows. */
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

/** A lookback may end before what the last ticks have left, or have not seen: a tick reaches for it, as far as that is near. */
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
 * The times of expiry that nobody has looked at since the watermark, when the tick does not reach it. The ticks stood still for longer than
 * that. With a limit, of which the ticks have all, it may delete a tenth besides. What nobody has looked at for longer than a day is for
 * the scan of the index, which is due then.
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

/** By window a tick looks at the whole of the first one. */
function seenFrom(windowsFrom: number, { indexedBy, granularitySeconds }: SweepSettings['model']): number {
  return indexedBy === 'window' ? windowStart(windowsFrom, granularitySeconds) : windowsFrom;
}

/** Whoever looks at these windows looks at all that the watermark does not know of. */
function reaches(windowsFrom: number, { gone }: Watermark): boolean {
  return gone - INDEX_SECONDS >= windowsFrom - 1;
}

/**
 * Up to which TTL everything is gone, epoch seconds; undefined when that is not known: nobody has looked at what lies between the last
 * such time and the windows of this tick, or a table was too busy to say.
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
