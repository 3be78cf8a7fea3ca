import { toEpochSeconds } from '../../expiry/ttl.ts';
import type { PlanSweepInput, PlanSweepOutput, TableRound } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { NOTHING_SCANNED } from '../child/scan.ts';
import { secondsBehind, sweptRange } from '../child/swept-range.ts';
import type { RunningScan } from '../journal/index-scans.ts';
import { isPaused } from '../journal/layout.ts';
import { leftNothing } from '../report/sweep-totals.ts';
import { readSettings } from '../runtime/environment.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';
import { nextRound } from './next-round.ts';
import { planRound } from './plan-round.ts';
import { besidesTheTicks, isDryRun, isHandOver, isScan, limitOfInput, tablesOfInput } from './sweep-input.ts';
import type { TickSurroundings } from './tick-surroundings.ts';

/** Dependencies of planning a replay. */
export interface ReplaySurroundings extends Pick<TickSurroundings, 'tableOf'> {
  readonly journal: Pick<TickSurroundings['journal'], 'read'> & {
    readonly takeScan: (table: string, execution: string) => Promise<RunningScan>;
    /** @returns false when this execution no longer has the hand-over, or the table is paused */
    readonly renewHandOver: (table: string, execution: string) => Promise<boolean>;
  };
}

/**
 * Plans a round of a replay: first the input's span, then the targets that the children have left. A hand-over is renewed before each
 * round. It ends when its table was paused in the meantime, or got another limit: the ticks delete at the new limit, and sweep what the
 * execution leaves.
 *
 * @throws InvalidExecutionInputError, DynamoDbBusyError, JournalUnreadableError
 */
export async function planReplay(
  input: PlanSweepInput,
  surroundings: ReplaySurroundings,
  remainingMs: () => number,
): Promise<PlanSweepOutput> {
  const { tables, executionInput, execution, startedAt, soFar } = input;
  const { tableOf, journal } = surroundings;
  const carried = chosenTable(tables, executionInput);
  if (isScan(executionInput)) return planScan(input, carried, surroundings);
  const { tableName } = carried;
  const sweep = soFar?.sweeps[tableName];
  const settings = sweep?.settings ?? carried;
  const isHandedOver = isHandOver(executionInput);
  const own = readSettings(settings);
  const { progress, due, ...next } = await planRound(
    { executionInput, startedAt, soFar: soFar && roundOf(soFar, sweep?.progress) },
    tableOf(own),
    remainingMs,
  );
  const planned = {
    ...next,
    due: due.map(child => ({ table: tableName, ...child })),
    parts: [],
    sweeps: { [tableName]: { settings, progress } },
  };
  // The hand-over is renewed only after planning: if planning fails, the ticks must get these TTLs back.
  const goesOn = planned.next === 'sweep' || planned.next === 'plan';
  if (!isHandedOver) return planned;
  // An empty result is reported too: the watermark moves on, and the ticks sweep the table again.
  if (planned.next === 'end' && soFar === null) return { ...planned, next: 'record' };
  const limit = own.maxDeletesPerSecond;
  const hasLimit = limit > 0 && limitOfInput(executionInput) !== besidesTheTicks(limit);
  const isLeft = goesOn && (hasLimit || !(await journal.renewHandOver(tableName, execution)));
  return isLeft ? leave(planned) : planned;
}

/**
 * Plans a round of a scan of the index. It has one child, which continues where the previous one has ended, in this execution or another.
 * A single child reads as fast as allowed, so a second one would only wait.
 *
 * A paused table is not scanned, except in a dry run, also when it was paused in the meantime: the scan continues when it is started
 * again. The ticks use the whole of a limit, so the scan deletes a tenth of it in addition.
 */
async function planScan(
  { executionInput, execution, startedAt, soFar }: PlanSweepInput,
  carried: CarriedSettings,
  { tableOf, journal }: Pick<ReplaySurroundings, 'tableOf' | 'journal'>,
): Promise<PlanSweepOutput> {
  const { tableName } = carried;
  const sweep = soFar?.sweeps[tableName];
  const settings = sweep?.settings ?? carried;
  const own = tableOf(readSettings(settings)).settings;
  const dryRun = isDryRun(executionInput);
  const startedAtMs = Date.parse(startedAt);
  const state = await journal.read();
  const perSecond = limitOfInput(executionInput) ?? besidesTheTicks(own.maxDeletesPerSecond) ?? 0;
  const isLeft = !dryRun && isPaused(state, tableName, startedAtMs);
  const { progress, due, ...next } = await nextRound(soFar && roundOf(soFar, sweep?.progress), {
    dryRun,
    limit: dryRun || perSecond === 0 ? null : { perSecond, from: null, before: null },
    concurrency: own.shardConcurrency,
    behindSeconds: secondsBehind(own),
    plan: async () => {
      const running =
        dryRun || isLeft
          ? { beganAt: startedAt, position: null, record: null }
          : await journal.takeScan(tableName, execution);
      const { beganAt, position, record } = running;
      const cutoff = toEpochSeconds(startedAtMs) - secondsBehind(own);
      const scan = { execution, beganAt, before: record ?? NOTHING_SCANNED };
      const span = { from: sweptRange(cutoff, own).after + 1, before: cutoff + 1, upcomingFrom: null };
      const target = { windows: [], ...span, position, scan };
      return { due: [target], cursor: null, oldestOverdueSeconds: 0 };
    },
  });
  const planned = {
    ...next,
    due: due.map(child => ({ table: tableName, ...child })),
    parts: [],
    sweeps: { [tableName]: { settings, progress } },
  };
  return isLeft ? leave(planned) : planned;
}

/** Stops this execution before its next round. The ticks sweep what a hand-over leaves; a scan of a paused table goes on when it is started again. */
function leave(planned: PlanSweepOutput): PlanSweepOutput {
  const [[name, sweep] = []] = Object.entries(planned.sweeps);
  if (planned.next !== 'sweep' || name === undefined || sweep?.progress === undefined) return planned;
  const { totals, cursor } = sweep.progress;
  const progress = { totals: { ...totals, leftForLater: totals.leftForLater + 1 }, roundTargets: 0, cursor };
  const next = leftNothing(totals) ? 'record' : 'recordFailure';
  return { ...planned, next, due: [], sweeps: { [name]: { ...sweep, progress } } };
}

function roundOf(
  { results, retries, planFailed, recordingFailed }: NonNullable<PlanSweepInput['soFar']>,
  progress: TableRound['progress'] | undefined,
): TableRound | null {
  if (progress === undefined) return null;
  return {
    progress,
    results,
    retries,
    ...(planFailed !== undefined && { planFailed }),
    ...(recordingFailed !== undefined && { recordingFailed }),
  };
}

/**
 * The settings of the table that the input names, or of the only one.
 *
 * @throws InvalidExecutionInputError when the input does not name one table
 */
function chosenTable(tables: readonly CarriedSettings[], executionInput: unknown): CarriedSettings {
  const names = tables.map(({ tableName }) => tableName);
  const [only, ...more] = tablesOfInput(executionInput, names) ?? names;
  const chosen = tables.find(({ tableName }) => tableName === only);
  if (chosen !== undefined && more.length === 0) return chosen;
  throw new InvalidExecutionInputError({
    field: 'table',
    expected: `one of ${names.join(', ')}`,
    got: undefined,
    remedy:
      'Say which table to sweep: {"table": "<name>", "from": "<time>", "to": "<time>"}. Nothing was swept.',
  });
}
