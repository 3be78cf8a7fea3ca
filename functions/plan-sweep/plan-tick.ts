import type { Logger } from '@aws-lambda-powertools/logger';
import {
  type CarriedSettings,
  type ChildStart,
  type PlanSweepInput,
  type PlanSweepOutput,
  type SweepTarget,
  TICK_PARTS,
  TICK_TARGETS,
  type TickPart,
  type TickPlan,
} from '../../statemachine/contract.ts';
import { secondsBehind } from '../child/swept-range.ts';
import { type DeploymentState, isPaused, liveHandOver, type Watermark } from '../journal/layout.ts';
import { readSettings, type SweepSettings } from '../runtime/environment.ts';
import { DynamoDbBusyError, InvalidExecutionInputError } from '../runtime/errors.ts';
import type { RequestOptions } from '../table/dynamodb.ts';
import { indexLayout } from '../table/index-layout.ts';
import { MAYBE } from '../table/index-query.ts';
import { joined } from './limited-targets.ts';
import type { PlannedRound } from './next-round.ts';
import { plan } from './plan.ts';
import { type AskedTable, askTable, RESERVED_MS } from './plan-round.ts';
import { startChildren } from './start-children.ts';
import { checkSpan, readSweepInput, type SweepRequest, tablesOfInput } from './sweep-input.ts';

/** Tables that are asked at once: a hanging one keeps nobody else waiting. */
const TABLES_AT_ONCE = 32;

/** A table that has not answered by then is taken for busy, milliseconds: three attempts. */
const REQUEST_TIMEOUT_MS = 600;

/**
 * A table that looks back far has so long for its probes, milliseconds. What it does not get to is handed over. Nobody waits for a
 * reconcile: it has until the function must answer.
 */
const TABLE_MS = { tick: 5_000, reconcile: 60_000 } as const;

/** Windows that a tick looks back to and that hold something, of all tables together; what is more is handed over. */
const MOST_BACK = 1_200;

/** UTF-8 bytes of a plan: a state hands on at most 256 KiB. */
const PLAN_BYTES = 220_000;

/** What planning a tick takes from outside. */
export interface TickSurroundings {
  readonly tableOf: (settings: SweepSettings, options?: RequestOptions) => AskedTable;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly journal: {
    /** @throws JournalUnreadableError */
    readonly read: () => Promise<DeploymentState>;
    readonly writeWatermarks: (tick: string, tables: Readonly<Record<string, Watermark>>) => Promise<void>;
  };
  /** Epoch milliseconds, of the function. */
  readonly clock: () => number;
}

/** What a tick is to do about a table. */
interface PlannedTable {
  readonly carried: CarriedSettings;
  readonly due: readonly ChildStart[];
  readonly plan: Omit<TickPlan, 'targets'>;
  /** Undefined: no more is known than before. */
  readonly gone: number | undefined;
}

/**
 * Plans a tick: asks all tables that are not paused what is due, and deals their targets out to this execution and further ones.
 *
 * 1. What the operators have set is read first. When it cannot be read, nothing is deleted: a table may be paused.
 * 2. Tables are asked side by side. One that cannot be asked has its failure in the plan. One that is busy gets its children all the same:
 *    they ask again.
 * 3. Targets are dealt out in turn, one of each table: a table with many has them after everybody else's first.
 * 4. Up to where everything is gone goes into the journal.
 *
 * @throws InvalidExecutionInputError, JournalUnreadableError
 */
export async function planTick(
  { tables, executionInput, startedAt }: PlanSweepInput,
  surroundings: TickSurroundings,
): Promise<PlanSweepOutput> {
  const { journal, logger } = surroundings;
  const names = tables.map(({ tableName }) => tableName);
  const wanted = tablesOfInput(executionInput, names) ?? names;
  const startedAtMs = Date.parse(startedAt);
  const state = await journal.read();
  const swept = tables.filter(
    ({ tableName }) => wanted.includes(tableName) && !isPaused(state, tableName, startedAtMs),
  );
  const plansAtMs = surroundings.clock();
  const share = Math.max(4, Math.floor(MOST_BACK / Math.max(1, swept.length)));
  const planned = await sideBySide(swept, TABLES_AT_ONCE, carried =>
    planTable(carried, { executionInput, startedAtMs, plansAtMs, state, share, ...surroundings }),
  );
  await journal.writeWatermarks(startedAt, {
    ...state.watermarks.tables,
    ...Object.fromEntries(
      planned.flatMap(({ carried, gone }) =>
        gone === undefined ? [] : [[carried.tableName, { gone, at: startedAt }]],
      ),
    ),
  });
  const [own = { due: [], sweeps: {} }, ...parts] = dealOut(planned, logger);
  const failed = planned.filter(({ plan: { failure } }) => failure !== undefined);
  if (own.due.length > 0 || failed.length > 0) {
    logger.info('planned', {
      tables: swept.length,
      targets: [own, ...parts].map(({ due }) => due.length),
      failed: failed.map(({ carried, plan: { failure } }) => ({ table: carried.tableName, ...failure })),
    });
  }
  const isIdle = own.due.length === 0 && Object.keys(own.sweeps).length === 0;
  return {
    next: isIdle ? 'end' : own.due.length > 0 ? 'sweep' : 'record',
    due: own.due,
    parts,
    last: true,
    results: [],
    sweeps: own.sweeps,
    report: null,
  };
}

interface TableOptions extends TickSurroundings {
  readonly executionInput: unknown;
  readonly startedAtMs: number;
  /** When the function began to plan, by its own clock, epoch milliseconds. */
  readonly plansAtMs: number;
  readonly state: DeploymentState;
  /** Windows that it looks back to at the most. */
  readonly share: number;
}

async function planTable(carried: CarriedSettings, options: TableOptions): Promise<PlannedTable> {
  const { tableName } = carried;
  const { state, executionInput, startedAtMs, tableOf } = options;
  try {
    const settings = readSettings(carried);
    const limit = state.control.limits[tableName] ?? settings.maxDeletesPerSecond;
    const limited = { ...settings, maxDeletesPerSecond: limit };
    const asked = readSweepInput(executionInput, startedAtMs, limited);
    checkSpan(asked, indexLayout(settings.model));
    const handedOver = liveHandOver(state, tableName, startedAtMs);
    const request = handedOver === undefined ? asked : behind(asked, handedOver.before);
    const endsAt = asked.followsBacklog ? options.clock() + TABLE_MS.tick : options.plansAtMs + TABLE_MS.reconcile;
    const table = tableOf(limited, { requestTimeout: REQUEST_TIMEOUT_MS });
    const round = await ask(request, table, { ...options, endsAt });
    const due = startChildren(fewTargets(round.due), {
      dryRun: false,
      limit: request.limit,
      concurrency: 0,
      behindSeconds: secondsBehind(settings),
      collected: TICK_TARGETS,
    });
    const { oldestOverdueSeconds, misfiled, cursor } = round;
    // With a limit the tick deletes as much as it may anyway.
    const leftOver =
      cursor === null || request.limit !== null
        ? undefined
        : { from: request.windowsFrom, to: request.before };
    return {
      carried,
      due: due.map(child => ({ table: tableName, ...child })),
      plan: {
        oldestOverdueSeconds,
        misfiled,
        ...(leftOver && { leftOver }),
        ...(request.limit !== null && { limited: true }),
      },
      gone: handedOver === undefined ? goneBy(request, round, state.watermarks.tables[tableName]) : undefined,
    };
  } catch (error) {
    if (error instanceof InvalidExecutionInputError) throw error;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const failure = { error: name, message: message.slice(0, 300) };
    return { carried, due: [], plan: { oldestOverdueSeconds: 0, misfiled: 0, failure }, gone: undefined };
  }
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

/** A busy table is taken to have something due in each of its shards, now and in the upcoming minute. */
async function ask(
  request: SweepRequest,
  table: AskedTable,
  { startedAtMs, clock, share, endsAt }: TableOptions & { readonly endsAt: number },
): Promise<PlannedRound> {
  const remainingMs = () => endsAt - clock() + RESERVED_MS;
  try {
    return await askTable(request, null, share, { ...table, startedAtMs, remainingMs });
  } catch (error) {
    if (!(error instanceof DynamoDbBusyError)) throw error;
    const unasked = await plan({ ...request, windowsFrom: request.cutoff, followsBacklog: false }, null, {
      layout: indexLayout(table.settings.model),
      probe: async () => MAYBE,
      concurrency: TICK_TARGETS,
      maxDue: share,
      watchAlways: true,
      outOfTime: () => false,
    });
    return { ...unasked, cursor: null, oldestOverdueSeconds: 0, misfiled: 0 };
  }
}

/** At most as many as one execution sweeps: a child takes several shards, or several windows, one after the other. */
function fewTargets(targets: readonly SweepTarget[]): SweepTarget[] {
  const upcoming = targets.filter(({ upcomingFrom }) => upcomingFrom !== null);
  const back = targets.filter(({ upcomingFrom }) => upcomingFrom === null);
  const most = back.length === 0 ? TICK_TARGETS : TICK_TARGETS / 2;
  return [...inGroups(upcoming, most), ...inGroups(back, TICK_TARGETS / 2)];
}

function inGroups(targets: readonly SweepTarget[], most: number): SweepTarget[] {
  const groups = Math.min(most, targets.length);
  return Array.from({ length: groups }, (_unused, group) =>
    joined(targets.filter((_target, index) => index % groups === group)),
  );
}

/**
 * Up to which TTL everything is gone, epoch seconds; undefined when that is not known: nobody has looked at what lies between the last
 * such time and the windows of this tick, or a table was too busy to say.
 */
function goneBy(
  { cutoff, windowsFrom }: SweepRequest,
  { due, cursor, oldestOverdue }: PlannedRound,
  before: Watermark | undefined,
): number | undefined {
  if (cursor !== null || (before !== undefined && before.gone < windowsFrom - 1)) return undefined;
  if (oldestOverdue !== undefined) return Math.min(Math.ceil(oldestOverdue) - 1, cutoff);
  return due.some(({ upcomingFrom }) => upcomingFrom === null) ? undefined : cutoff;
}

/** The targets of all tables in turn, 40 for each execution. What has none is told in the first one. */
function dealOut(planned: readonly PlannedTable[], logger: TickSurroundings['logger']): TickPart[] {
  const inTurn: ChildStart[] = [];
  for (let turn = 0; planned.some(({ due }) => turn < due.length); turn += 1) {
    for (const { due } of planned) inTurn.push(...due.slice(turn, turn + 1));
  }
  const byName = new Map(planned.map(each => [each.carried.tableName, each]));
  const parts: TickPart[] = [];
  let bytes = 0;
  while (inTurn.length > 0 || parts.length === 0) {
    const due = inTurn.splice(0, TICK_TARGETS);
    const isFirst = parts.length === 0;
    const told = planned.filter(
      ({ carried, due: own, plan: { failure, leftOver, misfiled } }) =>
        due.some(({ table }) => table === carried.tableName) ||
        (isFirst && own.length === 0 && (failure !== undefined || leftOver !== undefined || misfiled > 0)),
    );
    const sweeps = Object.fromEntries(
      told.map(({ carried, plan: tickPlan }) => {
        const targets = due.filter(({ table }) => table === carried.tableName).length;
        const isTold = parts.some(part => carried.tableName in part.sweeps);
        const once = isTold ? { oldestOverdueSeconds: 0, misfiled: 0 } : tickPlan;
        return [carried.tableName, { settings: carried, planned: { ...once, targets } }];
      }),
    );
    const part = { due, sweeps };
    bytes += Buffer.byteLength(JSON.stringify(part));
    if (!isFirst && (parts.length > TICK_PARTS || bytes > PLAN_BYTES)) {
      const left = [...due, ...inTurn].map(({ table }) => table);
      logger.error('no room in this tick', { targets: left.length, tables: [...new Set(left)].slice(0, 20) });
      return withFailures(parts, left, byName);
    }
    parts.push(part);
  }
  return parts;
}

/** Tables whose targets no execution has room for: the next ticks find what is due. */
function withFailures(
  [first, ...others]: TickPart[],
  left: readonly string[],
  byName: ReadonlyMap<string, PlannedTable>,
): TickPart[] {
  const failure = {
    error: 'TickTooLargeError',
    message:
      'More is due at once than one tick can plan. Give some tables a deployment of their own with the prop sweep.',
  };
  const failed = [...new Set(left)].flatMap(name => {
    const table = byName.get(name);
    if (table === undefined) return [];
    const planned: TickPlan = {
      oldestOverdueSeconds: 0,
      misfiled: 0,
      targets: 0,
      ...first?.sweeps[name]?.planned,
      failure,
    };
    return [[name, { settings: table.carried, planned }] as const];
  });
  const sweeps = { ...first?.sweeps, ...Object.fromEntries(failed) };
  return [{ due: first?.due ?? [], sweeps }, ...others];
}

/** In the order of the inputs. */
async function sideBySide<Input, Output>(
  inputs: readonly Input[],
  most: number,
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const outputs: Output[] = [];
  const entries = inputs.entries();
  const worker = async () => {
    for (const [index, input] of entries) outputs[index] = await work(input);
  };
  await Promise.all(Array.from({ length: Math.min(most, inputs.length) }, worker));
  return outputs;
}
