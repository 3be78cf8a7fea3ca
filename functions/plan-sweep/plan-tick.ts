import { windowStart } from '../../expiry/window.ts';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { Journal } from '../journal/lambda-journal.ts';
import {
  advanced,
  type DeploymentState,
  INDEX_SECONDS,
  isPaused,
  type Watermark,
} from '../journal/layout.ts';
import type { RecordDeploymentMetric } from '../runtime/deployment-metric.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RequestOptions } from '../table/dynamodb.ts';
import { indexLayout } from '../table/index-layout.ts';
import type { ReadIndex } from '../table/index-query.ts';
import { type PlannedTable, planChildren, tickChildren } from './children.ts';
import { probeShards, type ShardProbe, type Spans } from './probe.ts';
import { sideBySide } from './side-by-side.ts';
import { readTickInput, type TickRequest, tablesOfInput } from './sweep-input.ts';
import { FIRST_LOOKBACK_SECONDS, oldestWatermark } from './watermark-age.ts';

/** Tables that are probed at once: a table whose probe hangs does not delay the others. */
const TABLES_AT_ONCE = 32;

const REQUEST_TIMEOUT_MS = 600;

/** Longest time for the probe of a table. If the table is indexed by second, the probe reads up to 660 keys. */
const PROBE_MS = { window: 5_000, second: 45_000 } as const;
const LEAST_PROBE_MS = 700;

/** Watermarks of idle tables are not written within this time: a write each minute would more than double DynamoDB's price for them. */
const QUIET_SECONDS = 90;

/** In a table indexed by window, this span before the watermark is read again: items may have been written after their expiry. */
const AGAIN_SECONDS = 600;

/** If another tick began less than these seconds before or after, that tick's children still run, and sweep the lookback. */
const BESIDE_SECONDS = 50;

export interface TickDependencies extends Pick<Runtime, 'clock' | 'sleep'> {
  readonly readIndexOf: (settings: SweepSettings, options: RequestOptions) => ReadIndex;
  readonly logger: Pick<Runtime['logger'], 'error'>;
  readonly journal: Pick<Journal, 'read' | 'writeWatermarks'>;
  readonly record: RecordDeploymentMetric;
}

/**
 * Plans a tick: one query of the journal, then one probe per table and shard. A tick of the time T owns what expires from T + 60 s to T +
 * 120 s. It looks back from T to the watermark. The watermark moves to the first item that the probe sees.
 *
 * The first tick of a table always writes its watermark, also if the probe fails or the table is paused: later ticks must know where to
 * begin.
 *
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
      // `tick` is the start of the last tick that looked back to the watermark. A tick of only some tables, or a tick beside another tick,
      // does not look back so far, and so keeps `tick`.
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
  /** Undefined: the watermark stays. */
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

/** An error of one table is a failure of this table and does not stop the others. Only a wrong input stops the tick. */
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
      // The highest number of shards is kept: a deployment may lower the number before the table is swept again.
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
    const gone = Math.max(mark.gone, Math.min(Math.ceil(left) - 1, request.cutoff));
    return {
      carried,
      children: planChildren(spans, probes, request),
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

/** A lookback begins before the watermark: the index shows an item late, and an item may be written after its expiry. */
function lookbackFrom({ gone }: Pick<Watermark, 'gone'>, { model }: Pick<SweepSettings, 'model'>): number {
  const from = gone + 1 - INDEX_SECONDS;
  if (model.indexedBy === 'second') return from;
  // Reading the rest of the same window costs no further query.
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

/** A probe must end before the minute begins. If it takes longer, the children query the index themselves. */
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
