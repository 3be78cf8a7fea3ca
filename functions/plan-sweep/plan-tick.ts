import { windowStart } from '../../expiry/window.ts';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { Journal } from '../journal/lambda-journal.ts';
import {
  advanced,
  type DeploymentState,
  INDEX_SECONDS,
  isPaused,
  pauseOf,
  type Watermark,
} from '../journal/layout.ts';
import type { RecordDeploymentMetric } from '../runtime/deployment.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RequestOptions } from '../table/dynamodb.ts';
import { indexLayout } from '../table/index-layout.ts';
import type { ReadIndex } from '../table/index-query.ts';
import { type PlannedTable, planChildren, tickChildren } from './children.ts';
import { probeShards, type ShardProbe, type Spans, sideBySide } from './probe.ts';
import { readTickInput, type TickRequest, tablesOfInput } from './sweep-input.ts';

/** Number of tables that are probed at the same time, so that one slow table does not delay all other tables. */
const TABLES_AT_ONCE = 32;

const REQUEST_TIMEOUT_MS = 600;

/** Longest time for the probe of a table, by the kind of its index. In an index by second a probe needs a query for each second. */
const PROBE_MS = { window: 5_000, second: 45_000 } as const;
const LEAST_PROBE_MS = 700;

/** Shortest time between two writes of watermarks while all tables are idle and indexed by window: each write costs money. */
const QUIET_SECONDS = 90;

/** A lookback is extended by at most this time, to find items that were written after their expiry. */
const AGAIN_SECONDS = 600;

/** If two ticks start less than this time apart, only one of them needs the full lookback. */
const BESIDE_SECONDS = 50;

export interface TickDependencies extends Pick<Runtime, 'clock' | 'sleep'> {
  readonly readIndexOf: (settings: SweepSettings, options: RequestOptions) => ReadIndex;
  readonly logger: Pick<Runtime['logger'], 'error'>;
  readonly journal: Pick<Journal, 'read' | 'writeWatermarks'>;
  readonly record: RecordDeploymentMetric;
}

/**
 * Plans a tick's children and writes the watermarks. A table's first tick writes one even during a pause: later ticks search from it on.
 * @throws InvalidExecutionInputError, JournalUnreadableError
 */
export async function planTick(
  { tables, executionInput, startedAt }: PlanSweepInput,
  dependencies: TickDependencies,
): Promise<PlanSweepOutput> {
  const { journal, logger, clock, record } = dependencies;
  const names = tables.map(({ tableName }) => tableName);
  const chosen = tablesOfInput(executionInput, names);
  const startedAtMs = Date.parse(startedAt);
  const state = await journal.read();
  const swept = tables.filter(({ tableName }) => (chosen ?? names).includes(tableName));
  const planned = await sideBySide(swept, TABLES_AT_ONCE, carried =>
    planTable(carried, { executionInput, startedAtMs, state, ...dependencies }),
  );
  const marks = planned.flatMap(({ carried, mark }) =>
    mark === undefined ? [] : [[carried.tableName, { ...mark, at: startedAt }] as const],
  );
  const isWhole = chosen === undefined;
  if (!isWhole || !isQuiet(planned, state, startedAtMs)) {
    try {
      // `tick` in the journal does not change if this tick is not for all tables, or leaves the full lookback to another tick.
      const keeps = !isWhole || tickBeside(state, startedAtMs, 0) !== undefined;
      const tick = keeps ? (state.watermarks.tick ?? startedAt) : startedAt;
      await journal.writeWatermarks(tick, Object.fromEntries(marks));
    } catch (error) {
      logger.error('cannot write the watermarks', { error: String(error).slice(0, 500) });
    }
  }
  if (isWhole) {
    const oldest = oldestWatermark(tables, state, new Map(marks), startedAtMs);
    if (oldest !== undefined) record('WatermarkAge', oldest.age, { TableName: oldest.table });
  }
  return tickChildren(planned, { startedAtMs, nowMs: clock() });
}

const NO_SWEEP: Omit<PlannedTable, 'carried'> = {
  ...{
    children: { ahead: [], upcoming: null, back: [] },
    oldestOverdueSeconds: 0,
    marginSeconds: 0,
    limit: null,
  },
};

interface ProbedTable extends PlannedTable {
  /** The table's new watermark. Undefined: the watermark in the journal does not change. */
  readonly mark: Omit<Watermark, 'at'> | undefined;
}

function isQuiet(
  planned: readonly ProbedTable[],
  { watermarks }: DeploymentState,
  startedAtMs: number,
): boolean {
  return (
    startedAtMs - Date.parse(watermarks.tick ?? '') < QUIET_SECONDS * 1000 &&
    planned.every(({ carried, children, failure, mark }) => {
      const known = watermarks.tables[carried.tableName];
      const isIdle = children.ahead.length + children.back.length === 0 && failure === undefined;
      if (mark === undefined) return isIdle;
      const isKnown = known !== undefined && known.swept === undefined && known.shards === mark.shards;
      return isIdle && isKnown && carried['indexedBy'] === 'window';
    })
  );
}

interface PlanOptions extends TickDependencies {
  readonly executionInput: unknown;
  readonly startedAtMs: number;
  readonly state: DeploymentState;
}

/** Plans the sweep of one table. Returns an error as `failure`, so that the other tables are swept. @throws InvalidExecutionInputError */
async function planTable(carried: CarriedSettings, options: PlanOptions): Promise<ProbedTable> {
  const { state, executionInput, startedAtMs, readIndexOf } = options;
  const known = state.watermarks.tables[carried.tableName];
  let first: ProbedTable['mark'];
  try {
    const settings = readSettings(carried);
    const request = readTickInput(executionInput, startedAtMs, settings);
    const since = request.cutoff - FIRST_LOOKBACK_SECONDS;
    const mark = known ? advanced(known) : { since, gone: since - 1, shards: 1 };
    const shards = Math.max(indexLayout(settings.model).shards, mark.shards);
    if (known === undefined) first = { ...mark, shards };
    if (isPaused(state.pauses, carried.tableName, startedAtMs)) {
      // The journal keeps the highest number of shards, also during a pause: old items may be in shards that writers no longer use.
      const kept = known !== undefined && shards > known.shards ? { ...known, shards } : first;
      return { ...NO_SWEEP, carried, mark: kept };
    }
    const beside = tickBeside(state, startedAtMs, settings.marginSeconds);
    const spans: Spans = {
      from: Math.max(lookbackFrom(mark, settings), beside ?? Number.NEGATIVE_INFINITY),
      before: request.cutoff + 1,
      upcoming: request.upcoming,
    };
    const readIndex = readIndexOf(settings, { requestTimeout: REQUEST_TIMEOUT_MS });
    const probes = await probeShards(shards, spans, {
      ...options,
      ...{ layout: indexLayout(settings.model), readIndex, watchAlways: settings.pollSeconds > 0 },
      patienceMs: patienceMs(settings, request, options.clock()),
    });
    const left = Math.min(...probes.map(probe => probe.left ?? Number.POSITIVE_INFINITY));
    // The index may not show all items with later TTLs yet.
    const settled = request.cutoff - INDEX_SECONDS;
    const gone = Math.max(mark.gone, Math.min(Math.floor(left) - 1, settled));
    return {
      carried,
      // A tick beside another one may begin behind what the other one left: its notes would hide that from later ticks.
      children: planChildren(spans, probes, {
        ...request,
        notesBefore: beside === undefined ? settled + 1 : null,
      }),
      oldestOverdueSeconds: overdueSeconds(probes, startedAtMs),
      mark: beside === undefined ? { since: mark.since, gone, shards } : first,
      marginSeconds: settings.marginSeconds,
      limit: request.limit,
    };
  } catch (error) {
    if (error instanceof InvalidExecutionInputError) throw error;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const failure = { error: name.slice(0, 100), message: message.slice(0, 200) };
    return { ...NO_SWEEP, carried, failure, mark: first };
  }
}

/** Returns the first TTL of the lookback. By window it is before the watermark, to find items that were written after their expiry. */
function lookbackFrom({ gone }: Pick<Watermark, 'gone'>, { model }: Pick<SweepSettings, 'model'>): number {
  const from = gone + 1;
  if (model.indexedBy === 'second') return from;
  // The lookback does not begin before the window that contains `from`, because each earlier window would cost a query.
  return Math.max(windowStart(from, model.granularitySeconds), from - AGAIN_SECONDS);
}

function tickBeside(
  { watermarks }: DeploymentState,
  startedAtMs: number,
  marginSeconds: number,
): number | undefined {
  const otherMs = Date.parse(watermarks.tick ?? '');
  const isBeside = otherMs !== startedAtMs && Math.abs(startedAtMs - otherMs) < BESIDE_SECONDS * 1000;
  return isBeside ? Math.floor(otherMs / 60_000) * 60 - 60 - marginSeconds : undefined;
}

/** Returns the time limit of the table's probe, milliseconds. If the probe takes longer, children query all shards of the table. */
function patienceMs(settings: SweepSettings, { upcoming }: TickRequest, nowMs: number): number {
  const most = PROBE_MS[settings.model.indexedBy];
  if (upcoming === null) return most;
  return Math.min(most, Math.max(LEAST_PROBE_MS, (upcoming.from + settings.marginSeconds) * 1000 - nowMs));
}

function overdueSeconds(probes: readonly ShardProbe[], startedAtMs: number): number {
  const oldest = Math.min(
    ...probes.map(({ left, isSeen }) => (isSeen ? (left ?? 0) : Number.POSITIVE_INFINITY)),
  );
  return Number.isFinite(oldest) ? Math.max(0, Math.floor(startedAtMs / 1000) - Math.floor(oldest)) : 0;
}

/** Lowest age that is recorded as a metric: a table swept without delay has a younger watermark, and CloudWatch bills each metric. */
const MIN_AGE_SECONDS = 3_600;

export const FIRST_LOOKBACK_SECONDS = 2 * 24 * 60 * 60;

/**
 * The table with the oldest watermark, and the age of this watermark in seconds. Undefined if the age is below MIN_AGE_SECONDS.
 * @param moved the tick's new watermarks, by table
 */
function oldestWatermark(
  tables: readonly CarriedSettings[],
  state: DeploymentState,
  moved: ReadonlyMap<string, Pick<Watermark, 'since' | 'gone'>>,
  nowMs: number,
): { readonly table: string; readonly age: number } | undefined {
  const ages = tables.flatMap(carried => {
    const { tableName: table } = carried;
    const pause = state.pauses[table];
    const mark = moved.get(table) ?? state.watermarks.tables[table];
    // A table's first watermark is two days old. So the age is counted from the table's first tick at the earliest.
    const gone = mark && Math.max(mark.gone, mark.since + FIRST_LOOKBACK_SECONDS);
    const pausedAt = Date.parse(pauseOf(pause, nowMs)?.since ?? '') / 1000;
    const from = gone === undefined ? pausedAt : gone + (Number(carried['marginSeconds']) || 0);
    if (Number.isNaN(from)) return [];
    // A pause with an end makes the watermark old on purpose, so the age is counted from this end at the earliest.
    const meantUntil = pause?.until === undefined ? 0 : Date.parse(pause.until) / 1000;
    return [{ table, age: Math.floor(nowMs / 1000 - Math.max(from, meantUntil)) }];
  });
  const [oldest] = ages.toSorted((one, other) => other.age - one.age);
  return oldest !== undefined && oldest.age >= MIN_AGE_SECONDS ? oldest : undefined;
}
