import type { PlanSweepInput, PlanSweepOutput, TableRound } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { leftNothing } from '../report/sweep-totals.ts';
import { readSettings } from '../runtime/environment.ts';
import { InvalidExecutionInputError } from '../runtime/errors.ts';
import { planRound } from './plan-round.ts';
import { besidesTheTicks, isHandOver, limitOfInput, tablesOfInput } from './sweep-input.ts';
import type { TickSurroundings } from './tick-surroundings.ts';

/** Dependencies of planning a replay. */
export interface ReplaySurroundings extends Pick<TickSurroundings, 'tableOf'> {
  readonly journal: Pick<TickSurroundings['journal'], 'read'> & {
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

/** Stops this execution before its next round: the ticks sweep what a hand-over leaves. */
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
